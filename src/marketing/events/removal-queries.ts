import type { Queryable, Tx } from '../../db/pool.ts';
import { placeAt, type RemovalSlice, type Removed } from '../../db/removal.ts';
import { sql } from '../../db/sql.ts';

/**
 * Removes events that were received before `before` and are counted in `event_totals`; the totals stay. Their keys expired long
 * ago: since then, an event with the same id counts as a new one.
 */
export async function removeEvents(tx: Tx, { companyId, before, place, limit }: RemovalSlice): Promise<Removed> {
  const [row] = await tx.query<{ removed: number; last: number | null; looked: number }>(sql`
    with old as materialized (
      select event_id, received_at from events
      where company_id = ${companyId} and event_id > ${place?.id ?? 0} and received_at < ${before}
        and received_at < (select events_added_up_to())
      order by event_id limit ${limit}
    ),
    gone as (
      delete from events e using old
      where e.company_id = ${companyId} and e.event_id = old.event_id and e.received_at = old.received_at
        and e.received_at < ${before}
      returning 1
    )
    select (select count(*) from gone) as removed, max(event_id) as last, count(*) as looked from old`);
  const { removed, last, looked } = row!;
  return { removed, next: looked < limit ? null : placeAt(last!) };
}

/** Removes records of events that paused flows missed so long ago that the events themselves are gone. */
export async function removeMissedEvents(tx: Tx, { companyId, before, limit }: RemovalSlice): Promise<Removed> {
  const rows = await tx.query(sql`
    delete from flow_missed_events where company_id = ${companyId} and ctid = any(array(
      select ctid from flow_missed_events where company_id = ${companyId} and received_at < ${before}
      limit ${limit} for update skip locked))
    returning 1`);
  return { removed: rows.length, next: rows.length < limit ? null : placeAt(0) };
}

/** Removes the oldest month of events that no company still needs; returns its name, or null if there is none. */
export async function dropMonth(db: Queryable, until: Date, wantedBy: number[]): Promise<string | null> {
  const rows = await db.query<{ month: string | null }>(sql`
    select drop_month_of_events(${until}, ${wantedBy}::bigint[]) as month`);
  return rows[0]!.month;
}
