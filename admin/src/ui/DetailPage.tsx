import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/errors.ts';
import { t } from '../i18n/i18n.ts';
import css from './DetailPage.module.css';
import { Empty, Failure, SmallFailure, Waiting } from './states.tsx';

/** Shows a record once it is loaded; until then its skeleton, or the error. */
export function Loaded<Data>(props: { query: UseQueryResult<Data>; children: (data: Data) => ReactNode }) {
  const { data, error, refetch } = props.query;
  if (data !== undefined) return props.children(data);
  if (error === null) return <Waiting />;
  const missing = error instanceof ApiError && error.status === 404;
  return (
    <>
      <h1 className="visually-hidden">{t(missing ? 'error.not_found.title' : 'error.title')}</h1>
      <Failure error={error} reset={() => void refetch()} />
    </>
  );
}

/** As Loaded, inside a section. */
export function LoadedPart<Data>(props: {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  children: (data: Data) => ReactNode;
}) {
  const { data, error } = props.query;
  if (data !== undefined) return props.children(data);
  return error === null ? <p className="dim">{t('state.loading')}</p> : <SmallFailure query={props.query} />;
}

/** A record's sections: the wide ones, and the short ones in a second column. */
export function DetailColumns({ children, side }: { children: ReactNode; side?: ReactNode }) {
  return (
    <div className={css.columns} data-side={side !== undefined || undefined}>
      <div className={css.column}>{children}</div>
      {side === undefined ? null : <div className={css.column}>{side}</div>}
    </div>
  );
}

export function Section(props: { title: string; actions?: ReactNode; children: ReactNode; flush?: true }) {
  return (
    <section className={css.section}>
      <div className={css.head}>
        <h2>{props.title}</h2>
        <span className="grow" />
        {props.actions}
      </div>
      <div className={props.flush ? undefined : css.body}>{props.children}</div>
    </section>
  );
}

/** Names and values; absent ones are omitted. */
export function Facts({ facts }: { facts: (readonly [string, ReactNode] | null)[] }) {
  const shown = facts.filter((fact) => fact !== null && fact[1] !== null && fact[1] !== '');
  return (
    <dl className={css.facts}>
      {shown.map((fact) =>
        fact === null ? null : (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd className="break">{fact[1]}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** A short list inside a section. */
export function SmallTable<Row>(props: {
  caption: string;
  rows: Row[] | undefined;
  /** The query of the rows: shows its error, and a button to retry. */
  query?: { error: unknown; refetch(): unknown };
  keyOf(row: Row): string | number;
  columns: { title: string; cell(row: Row): ReactNode; right?: true; wide?: true }[];
  empty: string;
  /** A line above the table. */
  intro?: string;
  foot?: ReactNode;
}) {
  const { rows, columns } = props;
  if (rows === undefined && props.query?.error) return <SmallFailure query={props.query} />;
  if (rows === undefined) return <p className={`${css.body} dim`}>{t('state.loading')}</p>;
  if (rows.length === 0) return <Empty icon="inbox" title={props.empty} />;
  return (
    <div className={css.scroll}>
      {props.intro === undefined ? null : <p className={css.intro}>{props.intro}</p>}
      <table className={css.table}>
        <caption className="visually-hidden">{props.caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, right, wide }) => (
              <th key={title} scope="col" data-right={right} data-wide={wide}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={props.keyOf(row)}>
              {columns.map(({ title, cell, right, wide }) => (
                <td key={title} data-right={right} data-wide={wide}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {props.foot === undefined ? null : <tfoot>{props.foot}</tfoot>}
      </table>
    </div>
  );
}
