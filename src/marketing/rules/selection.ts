import { emptySql, type Statement, sql } from '../../db/sql.ts';

/** The context of a compilation. */
export interface Compiling {
  companyId: number;
  now: Date;
  /**
   * The moment up to which events are counted in `event_totals`, in the snapshot of the statement (see `findAddedUpTo`). With
   * `current` the statement reads it itself, which costs slightly more. With null all events are counted.
   */
  addedUpTo: Date | 'current' | null;
  /** The statement only needs contacts from this id on; the result for others is undefined. */
  from?: number | undefined;
  /** The statement only needs these contacts. */
  among?: readonly number[] | undefined;
}

/** The contacts of a rule on histories or lists: those with the selected ids, or with `denied` all others. */
export interface Selection {
  ids: Statement;
  denied: boolean;
  /** The ids come from memberships, so a foreign key guarantees that their contacts exist; `once` if they are distinct. */
  memberships?: { once: boolean };
}

/** Restricts a statement with one `contact_id` to these contacts. */
export function withinSql({ from, among }: Compiling): Statement {
  if (among !== undefined) return sql`and contact_id = any(${among}::bigint[])`;
  return from === undefined ? emptySql : sql`and contact_id >= ${from}`;
}
