import { Button, Checkbox, Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type SearchValues, useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../Anchor.tsx';
import { downloadCsv } from '../csv.ts';
import { useFormat } from '../format.tsx';
import { Icon, type IconName } from '../Icon.tsx';
import { PageHeader } from '../PageHeader.tsx';
import { Empty, Failure } from '../states.tsx';
import { ColumnMenu, useColumns } from './columns.tsx';
import { FilterField, SearchField } from './fields.tsx';
import css from './ListPage.module.css';
import type { Filter, ListPageProps } from './types.ts';

const PER_PAGE = 25;

/** A list: what is shown stands in the address, and comes from the server page by page. */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { name, columns, filters = [], search, bulk = [] } = props;
  const { company } = useShop();
  const format = useFormat();
  const [values, change] = useSearchValues();
  const [selected, setSelected] = useState<ReadonlyMap<number, Row>>(new Map());
  const [chosen, setChosen] = useColumns(name, columns);
  const page = Math.max(1, Number(values.page) || 1);
  const query = queryOf(values, filters, search?.key);

  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: [company.id, name, 'list', query, page],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => props.load({ ...query, page, per_page: PER_PAGE }, signal),
  });
  const rows = data?.rows;
  const shown = columns.filter(({ key }) => chosen.includes(key));
  const filtered = Object.keys(query).length > 0;
  const header = (
    <PageHeader title={props.title}>
      {props.actions}
      {props.create === undefined ? null : <CreateButton {...props.create} />}
    </PageHeader>
  );
  const set = (part: SearchValues): void => {
    setSelected(new Map());
    change({ page: '', ...part });
  };
  if (error !== null && rows === undefined)
    return (
      <>
        {props.embedded ? null : header}
        <Failure error={error} reset={refetch} />
      </>
    );
  if (rows?.length === 0 && !filtered && page === 1)
    return (
      <>
        {props.embedded ? null : header}
        <div className={css.card}>
          <Empty {...props.empty}>{props.create === undefined ? null : <CreateButton {...props.create} />}</Empty>
        </div>
      </>
    );
  const pages = data === undefined ? 1 : Math.max(1, Math.ceil(data.total / PER_PAGE));
  const toggle = (row: Row): void => {
    const next = new Map(selected);
    if (!next.delete(props.idOf(row))) next.set(props.idOf(row), row);
    setSelected(next);
  };
  const all = rows !== undefined && rows.length > 0 && rows.every((row) => selected.has(props.idOf(row)));
  const toggleAll = (): void => {
    const next = new Map(selected);
    for (const row of rows ?? []) {
      if (all) next.delete(props.idOf(row));
      else next.set(props.idOf(row), row);
    }
    setSelected(next);
  };

  return (
    <>
      {props.embedded ? null : header}
      <div className={css.card}>
        <div className={`${css.tools} no-print`}>
          {search === undefined ? null : (
            <SearchField
              name={search.key}
              value={values[search.key] ?? ''}
              placeholder={search.placeholder}
              onChange={set}
            />
          )}
          {filters.map((filter) => (
            <FilterField key={filter.key} filter={filter} value={values[filter.key] ?? ''} onChange={set} />
          ))}
          {filtered ? (
            <Button
              variant="subtle"
              color="gray"
              size="xs"
              onClick={() => set(Object.fromEntries(Object.keys(query).map((key) => [key, ''])))}
            >
              {t('list.clear')}
            </Button>
          ) : null}
          <span className="grow" />
          <ColumnMenu columns={columns} chosen={chosen} onChange={setChosen} />
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="download" size={15} />}
            disabled={rows === undefined || rows.length === 0}
            onClick={() => downloadCsv(name, shown, rows ?? [])}
          >
            CSV
          </Button>
        </div>
        {selected.size > 0 ? (
          <div className={`${css.bulk} no-print`} role="toolbar" aria-label={t('list.bulk')}>
            <strong>{t('list.selected', { n: selected.size })}</strong>
            {bulk.map((action) => (
              <Button
                key={action.text}
                size="xs"
                variant="default"
                leftSection={<Icon name={action.icon} size={15} />}
                onClick={() => action.run([...selected.values()])}
              >
                {action.text}
              </Button>
            ))}
            <Button size="xs" variant="subtle" color="gray" onClick={() => setSelected(new Map())}>
              {t('list.unselect')}
            </Button>
          </div>
        ) : null}
        {rows?.length === 0 ? (
          <Empty icon="search" title={t('list.none.title')} text={t('list.none.text')} />
        ) : (
          <table className={css.table} aria-busy={isPlaceholderData || rows === undefined}>
            <caption className="visually-hidden">{props.title}</caption>
            <thead>
              <tr>
                {bulk.length === 0 ? null : (
                  <th className={css.check}>
                    <Checkbox size="xs" checked={all} onChange={toggleAll} aria-label={t('list.select_all')} />
                  </th>
                )}
                {shown.map((column) => (
                  <th key={column.key} scope="col" data-align={column.align} data-wide={column.wide}>
                    {column.title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody data-stale={isPlaceholderData || undefined}>
              {rows === undefined ? (
                <SkeletonRows columns={shown.length + (bulk.length === 0 ? 0 : 1)} />
              ) : (
                rows.map((row) => (
                  <tr key={props.idOf(row)} data-selected={selected.has(props.idOf(row)) || undefined}>
                    {bulk.length === 0 ? null : (
                      <td className={css.check}>
                        <Checkbox
                          size="xs"
                          checked={selected.has(props.idOf(row))}
                          onChange={() => toggle(row)}
                          aria-label={t('list.select', { id: props.idOf(row) })}
                        />
                      </td>
                    )}
                    {shown.map((column, i) => (
                      <td key={column.key} data-align={column.align} data-wide={column.wide} data-title={column.title}>
                        {i === 0 && props.path !== undefined ? (
                          <Anchor path={props.path(row)} className={css.main}>
                            {column.cell(row)}
                          </Anchor>
                        ) : (
                          column.cell(row)
                        )}
                      </td>
                    ))}
                  </tr>
                ))
              )}
            </tbody>
          </table>
        )}
        <div className={`${css.foot} no-print`}>
          <span className="dim num" aria-live="polite">
            {data === undefined ? ' ' : t('list.total', { n: data.total, shown: format.number(data.total) })}
          </span>
          <span className="grow" />
          {pages > 1 ? (
            <nav className="row" aria-label={t('list.pages')}>
              <PageButton
                icon="chevron-left"
                text={t('list.previous')}
                disabled={page <= 1}
                onClick={() => change({ page: page === 2 ? '' : String(page - 1) })}
              />
              <span className="num">{t('list.page', { page: format.number(page), pages: format.number(pages) })}</span>
              <PageButton
                icon="chevron-right"
                text={t('list.next')}
                disabled={page >= pages}
                onClick={() => change({ page: String(page + 1) })}
              />
            </nav>
          ) : null}
        </div>
      </div>
    </>
  );
}

/** The filters of the address as parameters of the API. */
function queryOf(
  values: SearchValues,
  filters: Filter[],
  searchKey: string | undefined,
): Record<string, string | boolean> {
  const query: Record<string, string | boolean> = {};
  for (const { key, type } of filters) {
    const value = values[key];
    if (value !== undefined && value !== '') query[key] = type === 'yes_no' ? value === 'true' : value;
  }
  if (searchKey !== undefined && values[searchKey]) query[searchKey] = values[searchKey];
  return query;
}

function CreateButton({ path, text }: { path: string; text: string }) {
  return (
    <Button component={Anchor} path={path} leftSection={<Icon name="plus" size={16} />}>
      {text}
    </Button>
  );
}

function PageButton(props: { icon: IconName; text: string; disabled: boolean; onClick: () => void }) {
  return (
    <Button
      variant="default"
      size="xs"
      px={8}
      aria-label={props.text}
      disabled={props.disabled}
      onClick={props.onClick}
    >
      <Icon name={props.icon} size={16} />
    </Button>
  );
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
