import { Button, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../api/errors.ts';
import { t } from '../i18n/i18n.ts';
import { Icon, type IconName } from './Icon.tsx';
import { textOf } from './messages.tsx';
import css from './states.module.css';

/** Shown while a page's code or its first data is loading. */
export function Waiting() {
  return (
    <div className="stack" aria-busy="true">
      <span className="visually-hidden">{t('state.loading')}</span>
      <Skeleton height={30} width={220} />
      <Skeleton height={44} />
      <Skeleton height={320} />
    </div>
  );
}

/** An empty state that says what to do. */
export function Empty(props: { icon: IconName; title: string; text?: string; children?: ReactNode }) {
  return (
    <div className={css.empty}>
      <Icon name={props.icon} size={36} />
      <p className={css.title}>{props.title}</p>
      {props.text === undefined ? null : <p className="dim">{props.text}</p>}
      {props.children}
    </div>
  );
}

export function Failure({ error, reset }: { error: unknown; reset?: () => void }) {
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  const offline = error instanceof ApiError && error.status === 0;
  return (
    <div role="alert">
      <Empty icon={offline ? 'wifi-off' : 'alert-triangle'} title={t('error.title')} text={textOf(error)}>
        {reset === undefined ? null : (
          <Button variant="default" onClick={reset} leftSection={<Icon name="refresh" size={16} />}>
            {t('action.retry')}
          </Button>
        )}
      </Empty>
    </div>
  );
}

/** As Failure, inside a section. */
export function SmallFailure({ query }: { query: { error: unknown; refetch(): unknown } }) {
  return (
    <div role="alert" className={css.small}>
      <Icon name="alert-triangle" size={16} />
      <span className="grow break">{textOf(query.error)}</span>
      <Button size="compact-sm" variant="default" onClick={() => void query.refetch()}>
        {t('action.retry')}
      </Button>
    </div>
  );
}

export function NotFound() {
  return <Empty icon="search" title={t('error.not_found.title')} text={t('error.not_found.text')} />;
}

/** The same without a surrounding frame. */
export function NotFoundPage() {
  return (
    <main>
      <h1 className="visually-hidden">{t('error.not_found.title')}</h1>
      <NotFound />
    </main>
  );
}
