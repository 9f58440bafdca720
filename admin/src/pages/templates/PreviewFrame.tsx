import { useEffect, useRef, useState } from 'react';
import css from './LivePreview.module.css';

/** A frame without an origin, which shows the HTML sent to it: no script runs in it (see src/admin/admin.ts). */
export function PreviewFrame(props: {
  title: string;
  html: string;
  phone?: boolean;
  dark?: boolean;
  /** The description of a product: a short frame, without the pictures of other hosts. */
  description?: boolean;
}) {
  const { title, html, phone, dark, description } = props;
  const frame = useRef<HTMLIFrameElement>(null);
  const [loaded, setLoaded] = useState(false);
  useEffect(() => {
    if (loaded) frame.current?.contentWindow?.postMessage(html, '*');
  }, [html, loaded]);
  return (
    <iframe
      ref={frame}
      className={css.frame}
      data-phone={phone || undefined}
      data-short={description || undefined}
      data-dark={dark || undefined}
      sandbox="allow-scripts"
      title={title}
      src={description ? '/admin/description-frame' : '/admin/preview-frame'}
      onLoad={() => setLoaded(true)}
    />
  );
}
