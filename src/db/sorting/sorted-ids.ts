import type { PageBounds } from '../../lib/paging.ts';
import type { Direction } from '../../lib/sorting.ts';
import type { Queryable } from '../pool.ts';
import { emptySql, rawSql, type Statement, sql, unprepared } from '../sql.ts';

/** A set of records in the order of a key. */
export interface SortedSet {
  /** FROM and WHERE of the set. */
  from: Statement;
  id: Statement;
  /** What comes before the id in the order; null: nothing. */
  key: Statement | null;
  /** One row with the column `total`: how many the set has. */
  total: Statement;
}

/** The ids of a page, in its order, and how many records the set has. */
export interface SortedPage {
  total: number;
  ids: number[];
}

/** Times that a page counted from the end is read where records came or went meanwhile. */
const ATTEMPTS = 3;

/** ORDER BY of a key and the id. */
export function orderBy({ key, id }: Pick<SortedSet, 'key' | 'id'>, direction: Direction): Statement {
  const way = rawSql(direction);
  return sql`order by ${key === null ? emptySql : sql`${key} ${way},`} ${id} ${way}`;
}

/**
 * A page of a sorted set, its ids alone, read from the nearer end: the last page costs what the first does, and one in the
 * middle half of an index. Not prepared: how much of the index a page is, is in the values. Of a page counted from the end the
 * total is read again, and the page with it where records came or went meanwhile.
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
