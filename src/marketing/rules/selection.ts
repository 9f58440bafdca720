import { emptySql, type Statement, sql } from '../../db/sql.ts';

/** The context of a compilation. */
export interface Compiling {
  companyId: number;
  now: Date;
  /**
   * The moment up to which events are in `event_totals`, in the snapshot of the statement (see `findAddedUpTo`). With
   * `current` the statement reads it, which costs slightly more. Null counts all events.
   */
  addedUpTo: Date | 'current' | null;
  /** The statement only needs contacts from this id on; the result for others is undefined. */
  from?: number | undefined;
  /** The statement only needs these contacts. */
  among?: readonly number[] | undefined;
}

/** The contacts of a rule on histories or lists: the selected ids, or with `denied` all others. */
export interface Selection {
  ids: Statement;
  denied: boolean;
  /** The ids come from memberships, so their contacts exist by foreign key; `once` where they are distinct. */
  memberships?: { once: boolean };
}

/** The restriction to these contacts, for a statement with one `contact_id`. */
export function withinSql({ from, among }: Compiling): Statement {
  if (among !== undefined) return sql`and contact_id = any(${among}::bigint[])`;
  return from === undefined ? emptySql : sql`and contact_id >= ${from}`;
}
