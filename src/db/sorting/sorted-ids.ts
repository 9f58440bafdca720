import type { PageBounds } from '../../lib/paging.ts';
import type { Direction } from '../../lib/sorting.ts';
import type { Queryable } from '../pool.ts';
import { emptySql, rawSql, type Statement, sql, unprepared } from '../sql.ts';

/** A set of records in the order of a key. */
export interface SortedSet {
  /** FROM and WHERE of the set. */
  from: Statement;
  id: Statement;
  /** What precedes the id in the order; null for nothing. */
  key: Statement | null;
  /** A query for one row with the column `total`: the size of the set. */
  total: Statement;
}

/** The ids of a page, in its order, and the size of the set. */
export interface SortedPage {
  total: number;
  ids: number[];
}

/** How often a page counted from the end is read when records came or went meanwhile. */
const ATTEMPTS = 3;

/** ORDER BY of a key and the id. */
export function orderBy({ key, id }: Pick<SortedSet, 'key' | 'id'>, direction: Direction): Statement {
  const way = rawSql(direction);
  return sql`order by ${key === null ? emptySql : sql`${key} ${way},`} ${id} ${way}`;
}

/**
 * Returns a page of a sorted set, its ids only, read from the nearer end: the last page costs as much as the first, and one in
 * the middle reads half of an index. Not prepared, because the values determine how much of the index a page needs. For a page
 * counted from the end the total is read again, and the page with it where records came or went meanwhile.
 */
export async function sortedIds(
  db: Queryable,
  set: SortedSet,
  direction: Direction,
  { skip, take }: PageBounds,
): Promise<SortedPage> {
  let total = await totalOf(db, set);
  for (let attempt = 1; ; attempt++) {
    if (skip >= total) return { total, ids: [] };
    if (skip * 2 <= total) return { total, ids: await read(db, set, direction, { skip, take }) };
    const wanted = Math.min(take, total - skip);
    const mirrored = { skip: total - skip - wanted, take: wanted };
    const ids = await read(db, set, direction === 'asc' ? 'desc' : 'asc', mirrored);
    const after = await totalOf(db, set);
    if (after === total || attempt === ATTEMPTS) return { total, ids: ids.toReversed() };
    total = after;
  }
}

async function totalOf(db: Queryable, { total }: SortedSet): Promise<number> {
  const rows = await db.query<{ total: number }>(total);
  return rows[0]!.total;
}

async function read(db: Queryable, set: SortedSet, direction: Direction, bounds: PageBounds): Promise<number[]> {
  const statement = sql`
    select ${set.id} as id ${set.from} ${orderBy(set, direction)} offset ${bounds.skip} limit ${bounds.take}`;
  const rows = await db.query<{ id: number }>(unprepared(statement));
  return rows.map(({ id }) => id);
}
