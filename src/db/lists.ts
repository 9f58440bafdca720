import type { PageBounds } from '../lib/paging.ts';
import type { Direction } from '../lib/sorting.ts';
import type { Queryable } from './pool.ts';
import { emptySql, rawSql, type Statement, sql } from './sql.ts';

// Why totals are stored or counted, and what a page costs: docs/design/lists-and-totals.md.

/** The largest page of a list. */
const MAX_PER_PAGE = 100;

/**
 * A query for the value of a list's counter, as the column `total`. Lists that no filter narrows have one; with filters, use `countRows`.
 * @param keys those to add up; all where absent
 */
export function storedTotal(companyId: number, counter: string, keys?: readonly string[] | null): Statement {
  return sql`select coalesce(sum(n), 0)::bigint as total from counters where company_id = ${companyId} and counter = ${counter}
    ${keys == null ? emptySql : sql`and key = any(${[...keys]}::text[])`}`;
}

/** A query that counts rows, as the column `total`. `from` begins with FROM; an index should contain all columns of its conditions. */
export function countRows(from: Statement): Statement {
  return sql`select count(*) as total ${from}`;
}

/**
 * A query for the keys of a page. The rows before the page are skipped in an index, which must contain all columns of the query; rows are
 * only read for the keys that it returns. The offset is hidden from the planner, and the inner limit is a constant: both make the generic
 * plan as cheap as a plan for this page, so that the statement is not planned for every page.
 */
export function pageOfKeys(keys: Statement, { skip, take }: PageBounds): Statement {
  return sql`select * from (${keys} offset (select ${skip}::bigint) limit ${rawSql(String(MAX_PER_PAGE))}) keys limit ${take}`;
}

/** ORDER BY of a key and the id; the id alone where the key is null. */
export function orderBy({ key, id }: { key: Statement | null; id: Statement }, direction: Direction): Statement {
  const way = rawSql(direction);
  return sql`order by ${key === null ? emptySql : sql`${key} ${way},`} ${id} ${way}`;
}

/** The ids of a page, in its order, and the size of the list. */
export interface IdPage {
  total: number;
  ids: number[];
}

/** Returns the ids of a page and the total of its list, in one snapshot. `ids` selects the column `id` in the order of the list. */
export async function findIds(
  db: Queryable,
  { total, ids }: { total: Statement; ids: Statement },
  bounds: PageBounds,
): Promise<IdPage> {
  const rows = await db.query<IdPage>(sql`
    select l.total, coalesce((select json_agg(id) from (${pageOfKeys(ids, bounds)}) page), '[]'::json) as ids
    from (${total}) l`);
  return rows[0]!;
}
