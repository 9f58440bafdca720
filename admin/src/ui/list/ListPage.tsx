import { Button } from '@mantine/core';
import { keepPreviousData, queryOptions, usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type SearchValues, useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../Anchor.tsx';
import { Icon } from '../Icon.tsx';
import { PageHeader } from '../PageHeader.tsx';
import { Empty, Failure } from '../states.tsx';
import { CsvMenu } from './CsvMenu.tsx';
import { ColumnMenu, useColumns } from './columns.tsx';
import { FilterField, SearchField } from './fields.tsx';
import { ListFoot, PER_PAGE } from './ListFoot.tsx';
import css from './ListPage.module.css';
import { ListTable } from './ListTable.tsx';
import { SelectionBar } from './SelectionBar.tsx';
import { useSelection } from './selection.ts';
import { knownSort, NEWEST, RELEVANCE, SortSelect } from './sorting.tsx';
import type { Filter, ListFilters, ListPageProps } from './types.ts';
import { ViewMenu } from './views.tsx';

/** A list: its state is in the address, and its rows come from the server page by page. */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { name, columns, filters = [], search, bulk = [] } = props;
  const { company } = useShop();
  const [values, change] = useSearchValues();
  const [chosen, setChosen] = useColumns(name, columns);
  const [filtersOpen, setFiltersOpen] = useState(false);
  const page = Math.max(1, Number(values.page) || 1);
  const perPage = PER_PAGE.find((n) => String(n) === values.per_page) ?? PER_PAGE[0];
  const query = queryOf(values, filters, search?.key);
  const sortables = [...columns, ...(props.moreSorts ?? [])];
  const isSortable = sortables.some(({ sort }) => sort !== undefined) && !(search?.unsorted && query[search.key]);
  const sort = isSortable ? knownSort(sortables, values.sort) : '';
  const usual = search?.ranked && query[search.key] ? RELEVANCE : NEWEST;
  const order = sort === '' ? usual : sort;
  const asked = order === NEWEST ? query : { ...query, sort: order };
  const whatIs = (filters: ListFilters): ListFilters => props.asked?.(filters) ?? filters;

  const rowsQuery = queryOptions({
    queryKey: [company.id, name, 'list', asked, page, perPage],
    meta: props.live === undefined ? {} : { live: [props.live] },
    queryFn: ({ signal }) => props.load({ ...whatIs(asked), page, per_page: perPage }, signal),
  });
  // Starts while the list is rendered, not after it is mounted.
  usePrefetchQuery(rowsQuery);
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...rowsQuery,
    placeholderData: keepPreviousData,
    refetchInterval: props.refreshMs ?? false,
  });
  const rows = data?.rows;
  const isBeyond = data !== undefined && !isPlaceholderData && data.rows.length === 0 && page > 1;
  const last = Math.max(1, Math.ceil((data?.total ?? 0) / perPage));
  // biome-ignore lint/correctness/useExhaustiveDependencies: change is made anew on each rendering
  useEffect(() => {
    if (isBeyond) change({ page: last === 1 ? '' : String(last) });
  }, [isBeyond, last]);
  const selection = useSelection(rows, props.idOf);
  const shown = columns.filter(({ key }) => chosen.includes(key));
  const filtered = Object.keys(query).length > 0;
  const header = (
    <>
      <PageHeader title={props.title}>
        {props.actions}
        {props.create === undefined ? null : <CreateButton {...props.create} />}
      </PageHeader>
      {props.below}
    </>
  );
  const set = (part: SearchValues, how: 'replace' | 'push' = 'push'): void => {
    selection.unselect();
    change({ page: '', ...part }, how);
  };
  const show = (view: SearchValues): void =>
    set({ ...Object.fromEntries(Object.keys(values).map((key) => [key, ''])), ...view });
  const sorting = isSortable ? { value: sort, usual, onChange: (value: string) => set({ sort: value }) } : null;
  if (error !== null && rows === undefined)
    return (
      <>
        {props.embedded ? null : header}
        <Failure error={error} reset={refetch} />
      </>
    );
  // Rows of the previous filter, shown until the unfiltered ones arrive, say nothing about the whole list.
  if (rows?.length === 0 && !isPlaceholderData && !filtered && page === 1)
    return (
      <>
        {props.embedded ? null : header}
        <div className={css.card}>
          <Empty {...props.empty}>
            {props.create === undefined ? null : <CreateButton {...props.create} />}
            {filters.map(({ key, reveals, choices: [first] = [] }) =>
              reveals === undefined || first === undefined ? null : (
                <Button key={key} variant="subtle" size="xs" onClick={() => set({ [key]: first.value })}>
                  {first.label}
                </Button>
              ),
            )}
          </Empty>
        </div>
      </>
    );
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
              onChange={(part) => set(part, 'replace')}
            />
          )}
          {filters.length === 0 ? null : (
            <Button
              variant="default"
              size="xs"
              className={css.filtersButton}
              leftSection={<Icon name="filter" size={15} />}
              aria-expanded={filtersOpen}
              onClick={() => setFiltersOpen(!filtersOpen)}
            >
              {t('list.filters', { n: filters.filter(({ key }) => query[key] !== undefined).length })}
            </Button>
          )}
          <div className={css.filters} data-open={filtersOpen || undefined}>
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
          </div>
          {sorting === null ? null : (
            <SortSelect sortables={sortables} always={props.moreSorts !== undefined} sorting={sorting} />
          )}
          <span className="grow" />
          {props.embedded ? null : (
            <ViewMenu list={name} shown={sort === '' ? query : { ...query, sort }} onChoose={show} />
          )}
          <ColumnMenu columns={columns.slice(1)} chosen={chosen} onChange={setChosen} />
          <CsvMenu
            name={name}
            resource={props.resource}
            columns={shown}
            rows={rows ?? []}
            total={data?.total ?? 0}
            filters={whatIs(isSortable ? { ...query, sort: order } : query)}
          />
        </div>
        <SelectionBar selection={selection} bulk={bulk} query={query} total={data?.total ?? 0} />
        {rows?.length === 0 ? (
          <Empty icon="search" title={t('list.none.title')} text={t('list.none.text')} />
        ) : (
          <ListTable
            title={props.title}
            rows={rows}
            idOf={props.idOf}
            path={props.path}
            columns={shown}
            selection={bulk.length === 0 ? null : selection}
            sorting={sorting}
            stale={isPlaceholderData}
          />
        )}
        <ListFoot total={data?.total} page={page} perPage={perPage} onChange={change} />
      </div>
    </>
  );
}

/** Converts the filters in the address to parameters of the API. */
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
