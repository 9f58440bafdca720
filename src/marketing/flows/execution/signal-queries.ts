import type { Tx } from '../../../db/pool.ts';
import { type Statement, sql } from '../../../db/sql.ts';
import type { Signal } from '../engine/run.ts';

/** Deletes and returns the signals, in order, of runs that the transaction has locked. */
export async function takeSignals(
  tx: Tx,
  companyId: number,
  runIds: number[],
): Promise<{ run_id: number; signal: Signal }[]> {
  return tx.query(sql`
    with taken as (
      delete from flow_signals where company_id = ${companyId} and run_id = any(${runIds}::bigint[])
      returning id, run_id, signal
    )
    select run_id, signal from taken order by id`);
}

/** A run that starts to listen for an event type, and the moment from which events count for it. */
export interface Listening {
  runId: number;
  contactId: number;
  eventType: string;
  since: Date;
  /** Of events received exactly at `since`, only those after this one count. */
  afterEventId: number;
}

/**
 * Waits for the transactions that store events of the types, and blocks new ones until this transaction ends. See
 * enrolment.ts.
 */
export async function lockEventTypes(tx: Tx, companyId: number, eventTypes: string[]): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended('flow event ' || event_type, ${companyId}))
    from unnest(${[...new Set(eventTypes)].sort()}::text[]) as event_type`);
}

/** The events received since then, as signals. */
function eventsSince(companyId: number, listening: Listening[]): Statement {
  // A common lower bound lets PostgreSQL prune earlier partitions.
  const earliest = new Date(Math.min(...listening.map((l) => l.since.getTime())));
  return sql`
    select l.run_id, e.event_id, jsonb_build_object('kind', 'event', 'event_id', e.event_id, 'event_type', e.event_type,
      'data', e.data,
      'received_at', to_char(e.received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as signal
    from unnest(${listening.map((l) => l.runId)}::bigint[], ${listening.map((l) => l.contactId)}::bigint[],
      ${listening.map((l) => l.eventType)}::text[], ${listening.map((l) => l.since)}::timestamptz[],
      ${listening.map((l) => l.afterEventId)}::bigint[]) as l (run_id, contact_id, event_type, since, after_event_id)
    join events e on e.company_id = ${companyId} and e.contact_id = l.contact_id and e.event_type = l.event_type
      and e.received_at >= ${earliest}
      and (e.received_at, e.event_id) > (l.since, l.after_event_id)
      and e.occurred_at >= e.received_at - interval '24 hours'
    order by e.event_id`;
}

export function findEventsSince(
  tx: Tx,
  companyId: number,
  listening: Listening[],
): Promise<{ run_id: number; signal: Signal }[]> {
  return tx.query(sql`select run_id, signal from (${eventsSince(companyId, listening)}) found`);
}

export async function signalEventsSince(tx: Tx, companyId: number, listening: Listening[]): Promise<void> {
  await tx.query(sql`
    insert into flow_signals (company_id, run_id, signal)
    select ${companyId}, run_id, signal from (${eventsSince(companyId, listening)}) found`);
}

/** Adds signals other than events. */
export async function insertSignals(
  tx: Tx,
  companyId: number,
  signals: { runId: number; signal: Signal }[],
): Promise<void> {
  await tx.query(sql`
    insert into flow_signals (company_id, run_id, signal)
    select ${companyId}, t.* from unnest(${signals.map((s) => s.runId)}::bigint[],
      ${signals.map((s) => JSON.stringify(s.signal))}::jsonb[]) as t`);
}
