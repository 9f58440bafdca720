import type { Slice } from '../lib/slice.ts';
import type { Queryable } from './pool.ts';
import { rawSql, sql } from './sql.ts';

/** Rows of all companies that are past their time, by the age that a column says. */
export interface Purge {
  table: string;
  column: string;
  /** What is older goes. */
  before: () => Date;
}

/** Rows that a statement removes: some 20 ms, in which nobody waits for a row: one that somebody has is left for the next time. */
const ROWS = 1_000;
/** 1 MiB of a table: no more rows than a few thousand. */
const PAGES = 128;

/**
 * The oldest first, of a table with an index by age. Each slice begins at the age at which the one before ended: were it the
 * beginning, what has just been removed would be gone through once more for every slice.
 */
export function purgeByAge(db: Queryable, { table, column, before }: Purge, rows = ROWS): Slice<Date> {
  const [name, age] = [rawSql(table), rawSql(column)];
  return async (place) => {
    const [removed] = await db.query<{ found: number; last: Date | null; done: number }>(sql`
      with old as materialized (
        select ctid, ${age} as age from ${name}
        where ${age} < ${before()} and ${age} >= coalesce(${place}::timestamptz, '-infinity')
        order by ${age} limit ${rows} for update skip locked
      ),
      gone as (delete from ${name} where ctid = any(array(select ctid from old)) returning 1)
      select (select count(*) from old) as found, (select max(age) from old) as last, (select count(*) from gone) as done`);
    const { found, last, done } = removed!;
    return { done, next: found < rows ? null : last };
  };
}

/** The whole table in its physical order, a piece at a time: for one on which an index by age would cost every request. */
export function purgeByPages(db: Queryable, { table, column, before }: Purge, pages = PAGES): Slice<number> {
  const [name, age] = [rawSql(table), rawSql(column)];
  return async (place) => {
    const first = place ?? 0;
    const end = first + pages;
    const [removed] = await db.query<{ done: number; more: boolean }>(sql`
      with old as materialized (
        select ctid from ${name}
        where ctid >= ${`(${first},0)`}::tid and ctid < ${`(${end},0)`}::tid and ${age} < ${before()}
        for update skip locked
      ),
      gone as (delete from ${name} where ctid = any(array(select ctid from old)) returning 1)
      select (select count(*) from gone) as done,
        pg_relation_size(${table}::regclass) > ${end}::bigint * current_setting('block_size')::bigint as more`);
    const { done, more } = removed!;
    return { done, next: more ? end : null };
  };
}
