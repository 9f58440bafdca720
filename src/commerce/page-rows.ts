import { RawJson } from '../lib/raw-json.ts';

/** A record of a page with the total of its list, on each row. An empty page has one row without a record. */
export interface PageRow {
  total: number;
  json: string | null;
}

/** A row for each record: in one text, a page of large records would be read, and sent, while nobody else is served. */
export function pageFrom(rows: readonly PageRow[]): { rows: RawJson[]; total: number } {
  return { total: rows[0]!.total, rows: rows.flatMap(({ json }) => (json === null ? [] : new RawJson(json))) };
}
