import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import { Failure } from '../../ui/states.tsx';
import css from './forms.module.css';
import { type SignupForm, useHostedPage } from './queries.ts';

/** The hosted page as it is, in a frame without an origin in which nothing can be submitted. */
export function Preview({ form }: { form: SignupForm }) {
  const { data, error, refetch } = useHostedPage(form);
  const frame = useRef<HTMLIFrameElement>(null);
  const [loaded, setLoaded] = useState(false);
  useEffect(() => {
    if (loaded && data !== undefined) frame.current?.contentWindow?.postMessage(data, '*');
  }, [data, loaded]);
  if (error !== null) return <Failure error={error} reset={() => void refetch()} />;
  return (
    <iframe
      ref={frame}
      className={css.frame}
      sandbox="allow-scripts"
      title={t('form.page.title')}
      src="/admin/preview-frame"
      onLoad={() => setLoaded(true)}
    />
  );
}
