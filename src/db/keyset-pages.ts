import type { Queryable } from './pool.ts';
import { rawSql, type Statement, sql } from './sql.ts';

/** Size limit of a page, as text; a row that is larger is a page of its own. */
export const PAGE_BYTES = 256 * 1024;
const MIN_ROWS = 8;
const MAX_ROWS = 500;

/** Where a page begins, and how many rows are examined for it. */
export interface KeysetPage {
  /** Id of the last row of the previous page. */
  after: number;
  limit: number;
}

/**
 * Streams any number of rows as JSON texts: pages of PAGE_BYTES at most, each read by a short statement of its own on demand. Nothing is
 * held between pages, however slow the consumer is. Rows written meanwhile may or may not be included.
 * @param pageOf a statement with the columns `id` and `data` (json): rows after `after`, in the order of their ids, `limit` at most
 */
export async function* keysetPages(
  db: Queryable,
  order: 'asc' | 'desc',
  pageOf: (page: KeysetPage) => Statement,
): AsyncGenerator<string[]> {
  let after = order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER;
  let limit = MIN_ROWS;
  for (;;) {
    const rows = await findPage(db, order, pageOf({ after, limit }));
    if (rows.length === 0) return;
    yield rows.map((row) => row.json);
    after = rows.at(-1)!.id;
    const { looked } = rows[0]!;
    if (looked < limit && rows.length === looked) return;
    // Examines few of large rows: the database has to read all of them to know their size.
    limit = rows.length < looked ? Math.max(MIN_ROWS, rows.length) : Math.min(MAX_ROWS, limit * 4);
  }
}

interface PageRow {
  id: number;
  json: string;
  looked: number;
}

function findPage(db: Queryable, order: 'asc' | 'desc', rows: Statement): Promise<PageRow[]> {
  const byId = rawSql(order === 'asc' ? 'order by id' : 'order by id desc');
  return db.query<PageRow>(sql`
    select id, json, looked from (
      select id, json, count(*) over () as looked, row_number() over (${byId}) as place,
        sum(octet_length(json)) over (${byId} rows unbounded preceding) as bytes
      from (select r.id, r.data::text as json from (${rows}) r offset 0) texts
    ) page
    where place = 1 or bytes <= ${PAGE_BYTES} ${byId}`);
}
