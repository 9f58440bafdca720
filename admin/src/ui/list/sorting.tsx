import { NativeSelect, UnstyledButton } from '@mantine/core';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../Icon.tsx';
import css from './ListPage.module.css';
import type { Column, ColumnSort } from './types.ts';

/** The order of a list where its address does not say one. */
export const NEWEST = 'newest' as const;
/** The order of search results where lists rank them. */
export const RELEVANCE = 'relevance' as const;

/** Sorts a column by a key of the API. */
export function sortBy(key: string): ColumnSort {
  return { asc: `${key}_asc`, desc: `${key}_desc` };
}

/** Sorts the column that shows the age. */
export function sortByAge(): ColumnSort {
  return { asc: 'oldest', desc: NEWEST, labels: { asc: t('list.sort.oldest'), desc: t('list.sort.newest') } };
}

/** A column, or another sort criterion. */
export interface Sortable {
  title: string;
  sort?: ColumnSort;
}

/** Returns the value in the address if the list knows it, else none. */
export function knownSort(sortables: Sortable[], value: string | undefined): string {
  return sortables.some(({ sort }) => sort !== undefined && (sort.asc === value || sort.desc === value)) ? value! : '';
}

export interface Sorting {
  /** The value in the address: '' for the default order. */
  value: string;
  /** The default order. */
  usual: typeof NEWEST | typeof RELEVANCE;
  onChange(value: string): void;
}

/** For aria-sort; undefined for a column that cannot be sorted. */
export function stateOf(
  sort: ColumnSort | undefined,
  { value, usual }: Sorting,
): 'ascending' | 'descending' | 'none' | undefined {
  if (sort === undefined) return undefined;
  const shown = value === '' ? usual : value;
  return shown === sort.asc ? 'ascending' : shown === sort.desc ? 'descending' : 'none';
}

/** The next order after a click: ascending, then descending, then the default again. */
function next(sort: ColumnSort, sorting: Sorting): string {
  const state = stateOf(sort, sorting);
  if (state === 'none' || (state === 'descending' && sort.desc === sorting.usual)) return sort.asc;
  return state === 'ascending' && sort.desc !== sorting.usual ? sort.desc : '';
}

/** The title of a column; a button if it can be sorted. */
export function SortTitle<Row>({ column, sorting }: { column: Column<Row>; sorting: Sorting | null }) {
  const { sort, title } = column;
  if (sort === undefined || sorting === null) return title;
  const state = stateOf(sort, sorting);
  return (
    <UnstyledButton className={css.sort} onClick={() => sorting.onChange(next(sort, sorting))}>
      {title}
      <Icon name={state === 'ascending' ? 'chevron-up' : 'chevron-down'} size={13} />
    </UnstyledButton>
  );
}

/** Shown on a phone, where columns have no titles; elsewhere if the list can be sorted by something that is not a column. */
export function SortSelect(props: { sortables: Sortable[]; always: boolean; sorting: Sorting }) {
  const { sortables, always, sorting } = props;
  const choices = sortables.flatMap(({ sort, title }) =>
    sort === undefined
      ? []
      : [
          { value: sort.asc, label: sort.labels?.asc ?? t('list.sort.asc', { title }) },
          { value: sort.desc, label: sort.labels?.desc ?? t('list.sort.desc', { title }) },
        ],
  );
  if (choices.length === 0) return null;
  const label = t(sorting.usual === RELEVANCE ? 'list.sort.relevance' : 'list.sort.newest');
  const usual = choices.some(({ value }) => value === sorting.usual) ? [] : [{ value: sorting.usual, label }];
  return (
    <NativeSelect
      size="xs"
      className={always ? undefined : css.sortSelect}
      aria-label={t('list.sort')}
      value={sorting.value === '' ? sorting.usual : sorting.value}
      data={[...usual, ...choices]}
      onChange={({ currentTarget: { value } }) => sorting.onChange(value === sorting.usual ? '' : value)}
    />
  );
}
