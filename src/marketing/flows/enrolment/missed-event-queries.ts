import type { Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { EventSource } from '../../events/event.ts';

export interface MissedEvent {
  event_id: number;
  event_type: string;
  contact_id: number;
  data: Record<string, unknown>;
  occurred_at: Date;
  source: EventSource;
}

/**
 * Deletes and returns the oldest events that the flow missed, in order; skips those that another enrolment has locked.
 * Events of deleted contacts are null.
 */
export async function takeMissedEvents(
  tx: Tx,
  companyId: number,
  flowId: number,
  limit: number,
): Promise<(MissedEvent | null)[]> {
  const rows = await tx.query<{ [Key in keyof MissedEvent]: MissedEvent[Key] | null }>(sql`
    with taken as (
      delete from flow_missed_events where company_id = ${companyId} and flow_id = ${flowId} and event_id = any(array(
        select event_id from flow_missed_events where company_id = ${companyId} and flow_id = ${flowId}
        order by event_id limit ${limit} for update skip locked))
      returning event_id, received_at
    )
    select e.event_id, e.event_type, e.contact_id, e.data, e.occurred_at, e.source
    from taken t left join (
      events e join contacts c on c.company_id = ${companyId} and c.id = e.contact_id
    ) on e.company_id = ${companyId} and e.event_id = t.event_id and e.received_at = t.received_at
    order by t.event_id`);
  return rows.map((row) => (row.event_id === null ? null : (row as MissedEvent)));
}

/** Whether missed events remain, including those that an uncommitted transaction has locked. */
export async function hasMissedEvents(tx: Tx, companyId: number, flowId: number): Promise<boolean> {
  const rows = await tx.query<{ more: boolean }>(sql`
    select exists (
      select 1 from flow_missed_events where company_id = ${companyId} and flow_id = ${flowId}) as more`);
  return rows[0]!.more;
}

export async function forgetMissedEvents(tx: Tx, companyId: number, flowId: number): Promise<void> {
  await tx.query(sql`delete from flow_missed_events where company_id = ${companyId} and flow_id = ${flowId}`);
}

/** Records events that paused flows missed, for a later enrolment. */
export async function insertMissedEvents(
  tx: Tx,
  companyId: number,
  missed: { flowId: number; eventId: number }[],
  receivedAt: Date,
): Promise<void> {
  await tx.query(sql`
    insert into flow_missed_events (company_id, flow_id, event_id, received_at)
    select ${companyId}, t.*, ${receivedAt}
    from unnest(${missed.map((m) => m.flowId)}::bigint[], ${missed.map((m) => m.eventId)}::bigint[]) as t`);
}
