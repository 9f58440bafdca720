import type { ReactNode } from 'react';
import type { Rows } from '../../api/client.ts';
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
  /** Shown from 768 px on. */
  wide?: true;
}

export interface Filter {
  key: string;
  title: string;
  type: 'choice' | 'yes_no' | 'day' | 'text';
  choices?: { value: string; label: string }[];
}

/** Something to be done with the rows that are selected. */
export interface BulkAction<Row> {
  text: string;
  icon: IconName;
  run(rows: Row[]): void;
}

export interface ListPageProps<Row> {
  /** The resource: part of the query's key and of the CSV's name. */
  name: string;
  title: string;
  load(query: Record<string, string | number | boolean>, signal: AbortSignal): Promise<Rows<Row>>;
  idOf(row: Row): number;
  /** The first column leads there. */
  path?(row: Row): string;
  columns: Column<Row>[];
  filters?: Filter[];
  /** The parameter of the API that the search field sets, with the field's placeholder. */
  search?: { key: string; placeholder: string };
  bulk?: BulkAction<Row>[];
  create?: { path: string; text: string };
  empty: { icon: IconName; title: string; text: string };
  /** Beside the title. */
  actions?: ReactNode;
  embedded?: boolean;
}
