import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/**
 * Up to when events are in `event_totals`, by the moment at which they were received; null while none is. Holds good only
 * for statements of the same snapshot.
 */
export async function findAddedUpTo(tx: Tx): Promise<Date | null> {
  const rows = await tx.query<{ added_up_to: Date | null }>(sql`
    select nullif(events_added_up_to(), '-infinity') as added_up_to`);
  return rows[0]!.added_up_to;
}

/** Adds up a month at most; gives whether there is more. */
export async function addUpEvents(db: Queryable, now: Date): Promise<boolean> {
  const rows = await db.query<{ more: boolean }>(sql`select add_up_events(${now}) as more`);
  return rows[0]!.more;
}

/** A month of millions takes half a minute, once, where none was added up yet. */
export async function allowTime(tx: Tx): Promise<void> {
  await tx.limitStatements(600_000);
}
