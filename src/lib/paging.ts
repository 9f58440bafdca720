import type { RawJson } from './raw-json.ts';

/** The query parameters of a paginated list. */
export interface PageQuery {
  page?: number;
  per_page?: number;
  /** Replaces `page`: the number of rows before, for an export that continues after a record. Not a parameter of a request. */
  skip?: number;
}

/** Which rows of a list a page shows. */
export interface PageBounds {
  /** Rows before the page. */
  skip: number;
  take: number;
}

/** Returns the requested page, with its defaults: its numbers, and the rows that it shows. */
export function pageOf(query: PageQuery): PageBounds & { page: number; perPage: number } {
  const { page = 1, per_page: perPage = 25 } = query;
  return { page, perPage, skip: query.skip ?? (page - 1) * perPage, take: perPage };
}

/** A page of a list: records, or their JSON from SQL, each element several records separated by commas. */
export interface Page<Row = never> {
  rows: Row[] | RawJson[];
  total: number;
  page: number;
  perPage: number;
}

/** A part of a list after a position, for an export: nothing is counted. */
export interface PageBehind<Row> extends Page<Row> {
  rows: Row[];
  /** The position after it; null at the end. */
  next: string | null;
}

/** @param placeOf the place of a row */
export function pageBehind<Found, Row>(
  found: Found[],
  limit: number,
  recordOf: (row: Found) => Row,
  placeOf: (row: Found) => string,
): PageBehind<Row> {
  const next = found.length < limit ? null : placeOf(found.at(-1)!);
  return { rows: found.map(recordOf), total: found.length, page: 1, perPage: limit, next };
}

/** A part of a list that an export reads in its order, as a page: nothing is counted. */
export function partOf<Row>(rows: Row[] | RawJson[]): Page<Row> {
  return { rows, total: 0, page: 1, perPage: 1 };
}

/** The description of a page in a response. */
export interface Pagination {
  page: number;
  per_page: number;
  total: number;
  total_pages: number;
}

/** Presents a page as the response does. */
export function paged<Row>(result: Page<Row>): { data: Row[] | RawJson[]; pagination: Pagination } {
  return {
    data: result.rows,
    pagination: {
      page: result.page,
      per_page: result.perPage,
      total: result.total,
      total_pages: Math.ceil(result.total / result.perPage),
    },
  };
}
