import { useEffect, useRef, useState } from 'react';
import css from './LivePreview.module.css';

/** A frame without an origin, which shows the HTML sent to it: no script runs in it (see src/admin/admin.ts). */
export function PreviewFrame(props: { title: string; html: string; phone?: boolean; dark?: boolean; short?: boolean }) {
  const { title, html, phone, dark, short } = props;
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
      data-short={short || undefined}
      data-dark={dark || undefined}
      sandbox="allow-scripts"
      title={title}
      src="/admin/preview-frame"
      onLoad={() => setLoaded(true)}
    />
  );
}
