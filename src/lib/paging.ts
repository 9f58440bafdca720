import type { RawJson } from './raw-json.ts';

/** What the query of a paginated list says of its page. */
export interface PageQuery {
  page?: number;
  per_page?: number;
}

/** Which rows of a list a page shows. */
export interface PageBounds {
  /** Rows before the page. */
  skip: number;
  take: number;
}

/** The page that is asked for, with its defaults: its numbers, and the rows that it shows. */
export function pageOf(query: PageQuery): PageBounds & { page: number; perPage: number } {
  const { page = 1, per_page: perPage = 25 } = query;
  return { page, perPage, skip: (page - 1) * perPage, take: perPage };
}

/** A page of a list: records, or the whole array as JSON from SQL. */
export interface Page<Row = never> {
  rows: Row[] | RawJson;
  total: number;
  page: number;
  perPage: number;
}

/** What a response says of its page. */
export interface Pagination {
  page: number;
  per_page: number;
  total: number;
  total_pages: number;
}

/** The presentation of a page. */
export function paged<Row>(result: Page<Row>): { data: Row[] | RawJson; pagination: Pagination } {
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
