import type { Tx } from './pool.ts';
import { rawSql, type Statement, sql } from './sql.ts';

/** The last row that was looked at, by its key: an id, and for rows of a run the number within it. */
export interface Place {
  id: number;
  seq: number;
}

/** Which rows a slice of a removal looks at: `limit` of the company's behind the place, in the order of their keys. */
export interface RemovalSlice {
  companyId: number;
  /** What is older goes. */
  before: Date;
  place: Place | null;
  limit: number;
}

/** What a slice removed, and where the next one begins; null where nothing that is old enough follows. */
export interface Removed {
  removed: number;
  next: Place | null;
}

/** Removes old rows of one company, a slice in each transaction. */
export type Removal = (tx: Tx, slice: RemovalSlice) => Promise<Removed>;

/** Rows of a company by their ids, which are in the order in which the rows were made. */
export interface OldRows {
  table: string;
  /** The column of the moment at which a row was made. */
  made: string;
  /** Whether a row that was made before the horizon goes; it stays where it is not finished. */
  finished: (before: Date) => Statement;
  /** Rows that are looked at; all where absent. Where an index is partial, its condition. */
  among?: string;
}

/** Removes finished rows; skips those that somebody holds. Ends where only rows follow that were made after the horizon. */
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
  /** Whether any row that was looked at is older than the horizon. */
  some_old: boolean;
}

export function removedOf({ removed, looked, last, some_old }: Looked, limit: number): Removed {
  return { removed, next: looked < limit || !some_old ? null : placeAt(last!) };
}

export function placeAt(id: number): Place {
  return { id, seq: 0 };
}
