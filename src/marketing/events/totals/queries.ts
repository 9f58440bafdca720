import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

/**
 * The received_at up to which events are counted in `event_totals`; null before the first run. Valid only in the same snapshot.
 */
export async function findAddedUpTo(tx: Tx): Promise<Date | null> {
  const rows = await tx.query<{ added_up_to: Date | null }>(sql`
    select nullif(events_added_up_to(), '-infinity') as added_up_to`);
  return rows[0]!.added_up_to;
}

/** Adds up at most a month of events; returns whether more remain. */
export async function addUpEvents(db: Queryable, now: Date): Promise<boolean> {
  const rows = await db.query<{ more: boolean }>(sql`select add_up_events(${now}) as more`);
  return rows[0]!.more;
}

/** Raises the statement timeout: the first run over a month of millions of events takes 30 s. */
export async function allowTime(tx: Tx): Promise<void> {
  await tx.limitStatements(600_000);
}
