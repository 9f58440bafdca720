import type { Slice } from '../lib/slice.ts';
import type { Queryable } from './pool.ts';
import { rawSql, sql } from './sql.ts';

/** Expired rows of all companies, by the age in a column. */
export interface Purge {
  table: string;
  column: string;
  /** Older rows are deleted. */
  before: () => Date;
}

/** Rows that a statement deletes: some 20 ms, during which it waits for no lock: a locked row is left for the next time. */
const ROWS = 1_000;
/** 1 MiB of a table: at most a few thousand rows. */
const PAGES = 128;

/**
 * Deletes the oldest rows first, from a table with an index by age. Each slice begins at the age where the one before
 * ended: from the beginning, every slice would scan the rows just deleted once more.
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

/** Scans the whole table in its physical order, some pages at a time: for a table on which an index by age would cost every request. */
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
