import type { ReactNode } from 'react';
import type { Rows } from '../../api/client.ts';
import type { LiveKind } from '../../app/live-stream.ts';
import type { IconName } from '../Icon.tsx';

export interface Column<Row> {
  key: string;
  title: string;
  cell(row: Row): ReactNode;
  /** Value in CSV files; a column without it is left out of them. */
  csv?(row: Row): string | number | boolean | null;
  align?: 'right';
  /** Hidden by default; the column menu shows it. */
  optional?: true;
  /** On a phone it takes a line of its own. */
  full?: true;
  /** Shown from 768 px on. */
  wide?: true;
  /** The values of the API's parameter `sort` that order the list by this column. */
  sort?: ColumnSort;
}

/** The sorts that a column's title toggles. */
export interface ColumnSort {
  asc: string;
  desc: string;
  /** Names for the choice on a phone; by default the column's title with the direction. */
  labels?: { asc: string; desc: string };
}

export interface Filter {
  key: string;
  title: string;
  /** `record`: one that a link has chosen; it is named, and can be removed. */
  type: 'choice' | 'yes_no' | 'day' | 'text' | 'record';
  /** Shows the record with this id. */
  record?(id: number): ReactNode;
  choices?: { value: string; label: string }[];
  /** Text of a choice where nothing is chosen. */
  none?: string;
  /** The first choice includes records that the list otherwise leaves out: it is offered where the list is empty. */
  reveals?: true;
}

/** An action on the selected rows. */
export interface BulkAction<Row> {
  text: string;
  icon: IconName;
  run(rows: Row[], unselect: () => void): void;
  /** The same for everything that matches the filters, not only what the pages show. */
  all?(filters: Record<string, string | boolean>, total: number, unselect: () => void): void;
}

/** The filters of a list, as parameters of the API. */
export type ListFilters = Record<string, string | number | boolean>;

export interface ListPageProps<Row> {
  /** The resource: part of the query's key and of the CSV file's name. */
  name: string;
  title: string;
  load(query: ListFilters, signal: AbortSignal): Promise<Rows<Row>>;
  /** The list's path in the API, from which it is downloaded completely. */
  resource: string;
  /** The API's parameters for these filters, where they differ. */
  asked?(filters: ListFilters): ListFilters;
  idOf(row: Row): number | string;
  /** Link of the first column. */
  path?(row: Row): string;
  columns: Column<Row>[];
  filters?: Filter[];
  /** The parameter of the API that the search field sets, with the field's placeholder. */
  search?: {
    key: string;
    placeholder: string;
    /** Search results are always newest first. */
    unsorted?: true;
    /** Search results are sorted by relevance unless the address says otherwise. */
    ranked?: true;
  };
  /** Sort criteria in addition to the columns; offered by a choice above the list. */
  moreSorts?: { title: string; sort: ColumnSort }[];
  bulk?: BulkAction<Row>[];
  create?: { path: string; text: string };
  empty: { icon: IconName; title: string; text: string };
  /** Next to the title. */
  actions?: ReactNode;
  /** Between the title and the list. */
  below?: ReactNode;
  embedded?: boolean;
  /** Refetched when something of this kind changes. */
  live?: LiveKind;
  /** Polling interval while the window is visible. */
  refreshMs?: number;
}
