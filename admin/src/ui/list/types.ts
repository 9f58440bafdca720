import type { ReactNode } from 'react';
import type { Rows } from '../../api/client.ts';
import type { LiveKind } from '../../app/live-stream.ts';
import type { IconName } from '../Icon.tsx';

export interface Column<Row> {
  key: string;
  title: string;
  cell(row: Row): ReactNode;
  /** What CSV shows; a column without it is none of a CSV. */
  csv?(row: Row): string | number | boolean | null;
  align?: 'right';
  /** Left out at first; the column menu brings it in. */
  optional?: true;
  /** A line of its own on a phone. */
  full?: true;
  /** Shown from 768 px on. */
  wide?: true;
  /** The values of the API's parameter `sort` that order the list by this column. */
  sort?: ColumnSort;
}

/** What a column's title sorts by. */
export interface ColumnSort {
  asc: string;
  desc: string;
  /** Of the choices on a phone; else the column's title with the direction. */
  labels?: { asc: string; desc: string };
}

export interface Filter {
  key: string;
  title: string;
  type: 'choice' | 'yes_no' | 'day' | 'text';
  choices?: { value: string; label: string }[];
  /** What a choice shows where nothing is chosen. */
  none?: string;
  /** The first choice brings in records that the list otherwise leaves out: it is offered where the list is empty. */
  reveals?: true;
}

/** Something to be done with the rows that are selected. */
export interface BulkAction<Row> {
  text: string;
  icon: IconName;
  run(rows: Row[], unselect: () => void): void;
  /** The same with everything that matches the filters, not only what the pages show. */
  all?(filters: Record<string, string | boolean>, total: number, unselect: () => void): void;
}

/** The filters of a list, as parameters of the API. */
export type ListFilters = Record<string, string | number | boolean>;

export interface ListPageProps<Row> {
  /** The resource: part of the query's key and of the CSV's name. */
  name: string;
  title: string;
  load(query: ListFilters, signal: AbortSignal): Promise<Rows<Row>>;
  /** The list's path in the API, by which it is downloaded whole. */
  resource: string;
  /** What the API is asked for these filters, where that is more than they say. */
  asked?(filters: ListFilters): ListFilters;
  idOf(row: Row): number;
  /** The first column leads there. */
  path?(row: Row): string;
  columns: Column<Row>[];
  filters?: Filter[];
  /** The parameter of the API that the search field sets, with the field's placeholder. */
  search?: {
    key: string;
    placeholder: string;
    /** What is found comes newest first alone. */
    unsorted?: true;
    /** What is found comes by relevance where the address says no order. */
    ranked?: true;
  };
  /** What the list is sorted by beside its columns; offered by a choice above it. */
  moreSorts?: { title: string; sort: ColumnSort }[];
  bulk?: BulkAction<Row>[];
  create?: { path: string; text: string };
  empty: { icon: IconName; title: string; text: string };
  /** Beside the title. */
  actions?: ReactNode;
  /** Between the title and the list. */
  below?: ReactNode;
  embedded?: boolean;
  /** Asked for again when something of this kind changes. */
  live?: LiveKind;
  /** Asked for again so often while the window is looked at. */
  refreshMs?: number;
}
