import { Checkbox, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../Anchor.tsx';
import { Clamp } from '../Clamp.tsx';
import css from './ListPage.module.css';
import type { Selection } from './selection.ts';
import { type Sorting, SortTitle, stateOf } from './sorting.tsx';
import type { Column, ListPageProps } from './types.ts';

/** So long a text fits wherever a column can become narrow. */
const SHORT = 12;

interface ListTableProps<Row> extends Pick<ListPageProps<Row>, 'title' | 'idOf'> {
  path: ListPageProps<Row>['path'] | undefined;
  columns: Column<Row>[];
  rows: Row[] | undefined;
  /** null where there are no actions for several rows. */
  selection: Selection<Row> | null;
  /** null where the order cannot be changed. */
  sorting: Sorting | null;
  /** Rows of the previous page, until those of this one arrive. */
  stale: boolean;
}

/** The rows of a page, or placeholders while they are loading. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { title, rows, idOf, path, columns, selection, sorting, stale } = props;
  return (
    <table className={css.table} aria-busy={stale || rows === undefined}>
      <caption className="visually-hidden">{title}</caption>
      <thead>
        <tr>
          {selection === null ? null : (
            <th className={css.check}>
              <Checkbox
                size="xs"
                checked={selection.page}
                disabled={rows === undefined}
                onChange={selection.togglePage}
                aria-label={t('list.select_all')}
              />
            </th>
          )}
          {columns.map((column) => (
            <th
              key={column.key}
              scope="col"
              data-align={column.align}
              data-wide={column.wide}
              aria-sort={sorting === null ? undefined : stateOf(column.sort, sorting)}
            >
              <SortTitle column={column} sorting={sorting} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody data-stale={stale || undefined}>
        {rows === undefined ? (
          <SkeletonRows columns={columns.length + (selection === null ? 0 : 1)} />
        ) : (
          rows.map((row) => (
            <tr key={idOf(row)} data-selected={selection?.has(row) || undefined}>
              {selection === null ? null : (
                <td className={css.check}>
                  <Checkbox
                    size="xs"
                    checked={selection.has(row)}
                    onChange={() => selection.toggle(row)}
                    aria-label={t('list.select', { id: idOf(row) })}
                  />
                </td>
              )}
              {columns.map((column, i) => (
                <td
                  key={column.key}
                  data-align={column.align}
                  data-wide={column.wide}
                  data-full={column.full}
                  data-title={column.title}
                >
                  {i === 0 && path !== undefined ? (
                    <Anchor path={path(row)} className={css.main}>
                      {clamped(column.cell(row))}
                    </Anchor>
                  ) : (
                    clamped(column.cell(row))
                  )}
                </td>
              ))}
            </tr>
          ))
        )}
      </tbody>
    </table>
  );
}

/** A text has at most two lines; what else a cell shows says so itself. */
function clamped(cell: ReactNode): ReactNode {
  return typeof cell === 'string' && cell.length > SHORT ? <Clamp text={cell} /> : cell;
}

function SkeletonRows({ columns }: { columns: number }) {
  const rows = Array.from({ length: 8 }, (_, i) => `row${i}`);
  const cells = Array.from({ length: columns }, (_, i) => `cell${i}`);
  return rows.map((row) => (
    <tr key={row}>
      {cells.map((cell) => (
        <td key={cell}>
          <Skeleton height={14} my={4} />
        </td>
      ))}
    </tr>
  ));
}
