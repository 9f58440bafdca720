import type { Tx } from './pool.ts';
import { rawSql, type Statement, sql } from './sql.ts';

/** Key of the last row examined: an id, and for rows of a run the number within it. */
export interface Place {
  id: number;
  seq: number;
}

/** The rows that a slice of a removal examines: `limit` of the company's after the place, in the order of their keys. */
export interface RemovalSlice {
  companyId: number;
  /** Older rows are deleted. */
  before: Date;
  place: Place | null;
  limit: number;
}

/** What a slice removed, and where the next one begins; null where no row follows that is old enough. */
export interface Removed {
  removed: number;
  next: Place | null;
}

/** Removes old rows of one company, a slice in each transaction. */
export type Removal = (tx: Tx, slice: RemovalSlice) => Promise<Removed>;

/** Rows of a company by id; the ids are in the order in which the rows were created. */
export interface OldRows {
  table: string;
  /** The column with the time at which a row was created. */
  made: string;
  /** Whether a row created before the horizon is deleted; unfinished rows stay. */
  finished: (before: Date) => Statement;
  /** Restricts the rows examined; all if absent. For a partial index, its condition. */
  among?: string;
}

/** Removes finished rows; skips locked ones. Ends where only rows created after the horizon follow. */
export function removeById({ table, made, finished, among }: OldRows): Removal {
  const [name, moment] = [rawSql(table), rawSql(made)];
  const looked = rawSql(among === undefined ? '' : `and ${among}`);
  return async (tx, { companyId, before, place, limit }) => {
    const [slice] = await tx.query<Looked>(sql`
      with looked as materialized (
        select id, ${moment} as made, ${moment} < ${before} and ${finished(before)} as is_old from ${name}
        where company_id = ${companyId} and id > ${place?.id ?? 0} ${looked} order by id limit ${limit}
      ),
      old as materialized (
        select id from ${name}
        where company_id = ${companyId} and id = any(array(select id from looked where is_old)) ${looked} for update skip locked
      ),
      gone as (
        delete from ${name} where company_id = ${companyId} and id = any(array(select id from old)) ${looked} returning 1
      )
      select (select count(*) from gone) as removed, max(id) as last, count(*) as looked,
        coalesce(bool_or(made < ${before}), false) as some_old
      from looked`);
    return removedOf(slice!, limit);
  };
}

export interface Looked {
  removed: number;
  looked: number;
  last: number | null;
  /** Whether any row examined is older than the horizon. */
  some_old: boolean;
}

export function removedOf({ removed, looked, last, some_old }: Looked, limit: number): Removed {
  return { removed, next: looked < limit || !some_old ? null : placeAt(last!) };
}

export function placeAt(id: number): Place {
  return { id, seq: 0 };
}
