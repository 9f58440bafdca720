import type { Rows } from './client.ts';

const PER_PAGE = 100;
/** Maximum number of choices. */
const MOST_ROWS = 5_000;

interface PageQuery {
  page: number;
  per_page: number;
}

/** All rows of a list, page by page. @throws ApiError */
export async function everyRow<Row>(load: (query: PageQuery) => Promise<Rows<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page++) {
    const loaded = await load({ page, per_page: PER_PAGE });
    rows.push(...loaded.rows);
    if (loaded.rows.length === 0 || rows.length >= Math.min(loaded.total, MOST_ROWS)) return rows;
  }
}
