import type { Tx } from '../../../db/pool.ts';
import { emptySql, sql } from '../../../db/sql.ts';
import type { Correlation } from '../../../lib/tracing/correlation.ts';
import type { LogEntry } from '../engine/run.ts';
import type { Caused, FlowState } from './run-transitions.ts';

/**
 * Returns the status of the flows, and locks their rows FOR SHARE until COMMIT. A request that pauses or archives a flow waits for
 * the transactions that advance its runs; after its response no run of the flow executes another step.
 */
export async function shareFlows(tx: Tx, companyId: number, ids: number[]): Promise<Map<number, FlowState>> {
  const rows = await tx.query<{ id: number; state: FlowState }>(sql`
    select id, case when deleted_at is not null or status not in ('active', 'paused') then 'ended' else status end as state
    from flows where company_id = ${companyId} and id = any(${ids}::bigint[])
    order by id for share`);
  return new Map(rows.map((row) => [row.id, row.state]));
}

export async function insertWebhookCalls(
  tx: Tx,
  companyId: number,
  calls: Caused<'webhook'>[],
  now: Date,
): Promise<void> {
  const runs = calls.map(({ transition }) => transition.outcome.run);
  await tx.query(sql`
    insert into flow_webhook_calls (company_id, flow_id, version, run_id, step_id, visit, due_at, created_at)
    select ${companyId}, t.*, ${now}, ${now}
    from unnest(${runs.map((r) => r.flowId)}::bigint[], ${runs.map((r) => r.version)}::int[],
      ${runs.map((r) => r.runId)}::bigint[], ${calls.map((c) => c.effect.stepId)}::text[],
      ${calls.map((c) => c.effect.visit)}::int[]) as t`);
}

/** Those of the runs whose current webhook step has a pending call. */
export async function runsWithCallsDue(tx: Tx, companyId: number, runIds: number[]): Promise<Set<number>> {
  const rows = await tx.query<{ run_id: number }>(sql`
    select c.run_id from flow_webhook_calls c
    join flow_runs r on r.company_id = c.company_id and r.id = c.run_id and r.step_id = c.step_id
      and (r.state -> 'visits' ->> r.step_id)::int = c.visit
    where c.company_id = ${companyId} and c.run_id = any(${runIds}::bigint[]) and c.status = 'pending'`);
  return new Set(rows.map((row) => row.run_id));
}

export async function insertDomainEvents(tx: Tx, companyId: number, domainEvents: Caused<'event'>[]): Promise<void> {
  const runs = domainEvents.map(({ transition }) => transition.outcome.run);
  await tx.query(sql`
    insert into flow_emissions (company_id, flow_id, run_id, step_id, visit, contact_id, event_type, data, correlation)
    select ${companyId}, t.*
    from unnest(${runs.map((r) => r.flowId)}::bigint[], ${runs.map((r) => r.runId)}::bigint[],
      ${domainEvents.map((e) => e.effect.stepId)}::text[], ${domainEvents.map((e) => e.effect.visit)}::int[],
      ${runs.map((r) => r.contactId)}::bigint[], ${domainEvents.map((e) => e.effect.eventType)}::text[],
      ${domainEvents.map((e) => JSON.stringify(e.effect.data))}::jsonb[], ${runs.map((r) => r.correlation)}::text[]) as t`);
}

export interface DomainEvent {
  id: number;
  /** Number of failed attempts to store it. */
  attempts: number;
  flow_id: number;
  run_id: number;
  step_id: string;
  visit: number;
  contact_id: number;
  event_type: string;
  data: Record<string, unknown>;
  correlation: Correlation | null;
}

/**
 * Deletes and returns the oldest due events of track_event steps, optionally only those with some types or ids; skips those that
 * another transaction has locked.
 */
export function takeDomainEvents(
  tx: Tx,
  companyId: number,
  wanted: { now: Date; limit: number; types?: string[]; ids?: number[] },
): Promise<DomainEvent[]> {
  const { now, limit, types, ids } = wanted;
  return tx.query<DomainEvent>(sql`
    with taken as (
      -- An array is made once. A list may be made anew for every row, with other rows each time.
      delete from flow_emissions where company_id = ${companyId} and id = any(array(
        select id from flow_emissions where company_id = ${companyId} and due_at <= ${now}
          ${types === undefined ? emptySql : sql`and event_type = any(${types}::text[])`}
          ${ids === undefined ? emptySql : sql`and id = any(${ids}::bigint[])`}
        order by id limit ${limit} for update skip locked))
      returning *
    )
    select id, flow_id, run_id, step_id, visit, contact_id, event_type, data, correlation, attempts from taken order by id`);
}

/** Postpones an event that could not be stored, unless another worker has done so. */
export async function postponeDomainEvent(
  tx: Tx,
  companyId: number,
  { id, attempts }: DomainEvent,
  { dueAt, error }: { dueAt: Date; error: string },
): Promise<void> {
  await tx.query(sql`
    update flow_emissions set attempts = attempts + 1, due_at = ${dueAt}, error = ${error}
    where company_id = ${companyId} and id = ${id} and attempts = ${attempts}`);
}

/** Appends to the logs of runs, live or ended; waits for workers that have locked them. */
export async function appendLog(
  tx: Tx,
  companyId: number,
  notes: { runId: number; entry: LogEntry }[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    with notes as (
      select run_id, jsonb_agg(entry order by n) as entries
      from unnest(${notes.map((note) => note.runId)}::bigint[],
        ${notes.map((note) => JSON.stringify(note.entry))}::jsonb[]) with ordinality as t (run_id, entry, n)
      group by run_id
    ),
    locked as (
      select id from flow_runs where company_id = ${companyId} and id in (select run_id from notes)
      order by id for no key update
    ),
    moved as (
      update flow_runs r set seq = r.seq + 1 from locked where r.company_id = ${companyId} and r.id = locked.id
      returning r.id, r.seq
    )
    insert into flow_run_log (company_id, run_id, seq, at, entries)
    select ${companyId}, moved.id, moved.seq, ${now}, notes.entries from moved join notes on notes.run_id = moved.id`);
}

export async function insertNotifications(
  tx: Tx,
  companyId: number,
  notifications: Caused<'notification'>[],
  now: Date,
): Promise<void> {
  const runs = notifications.map(({ transition }) => transition.outcome.run);
  await tx.query(sql`
    insert into flow_notifications (company_id, flow_id, run_id, step_id, contact_id, message, created_at)
    select ${companyId}, t.*, ${now}
    from unnest(${runs.map((r) => r.flowId)}::bigint[], ${runs.map((r) => r.runId)}::bigint[],
      ${notifications.map((n) => n.effect.stepId)}::text[], ${runs.map((r) => r.contactId)}::bigint[],
      ${notifications.map((n) => n.effect.message)}::text[]) as t`);
}
