import { emptySql, type Statement, sql } from '../../db/sql.ts';

/** What rules are compiled for. */
export interface Compiling {
  companyId: number;
  now: Date;
  /**
   * Up to when events are in `event_totals`, in the snapshot in which the statement will run (see `findAddedUpTo`); with
   * `current` the statement looks for itself, and costs somewhat more. Null: all events are counted.
   */
  addedUpTo: Date | 'current' | null;
  /** The statement asks only for contacts from this id on: of others need not be told whether the rules pick them. */
  from?: number | undefined;
  /** The statement asks only for these contacts. */
  among?: readonly number[] | undefined;
}

/** The contacts of a rule that looks at histories or lists: those whose ids are selected, or with `denied` all others. */
export interface Selection {
  ids: Statement;
  denied: boolean;
  /** The ids are of memberships, by foreign key those of contacts that there are; `once` where none comes twice. */
  memberships?: { once: boolean };
}

/** Of a statement that looks at one table's `contact_id`. */
export function withinSql({ from, among }: Compiling): Statement {
  if (among !== undefined) return sql`and contact_id = any(${among}::bigint[])`;
  return from === undefined ? emptySql : sql`and contact_id >= ${from}`;
}
