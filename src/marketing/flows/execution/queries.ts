import type { Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import type { Correlation } from '../../../lib/tracing/correlation.ts';
import type { Effect, LogEntry, Outcome, RunEvent, RunState, Signal } from '../engine/run.ts';

/** The status of a flow as its runs see it. */
export type FlowState = 'active' | 'paused' | 'ended';

/** The change of a claimed run. */
export interface Transition {
  outcome: Outcome;
  update: RunUpdate;
  /** The event types that the run begins to listen for. */
  listening: Listening[];
}

/** An effect with the transition that caused it. */
export interface Caused<K extends Effect['kind']> {
  effect: Effect & { kind: K };
  transition: Transition;
}

/** A run that a worker has locked until its transaction ends. */
export interface RunRow {
  id: number;
  flow_id: number;
  version: number;
  contact_id: number;
  status: 'active' | 'paused' | 'completed' | 'exited' | 'failed';
  step_id: string | null;
  outcome: string | null;
  step_entered_at: Date | null;
  due_at: Date;
  awaits: string | null;
  listens: string[];
  event: RunEvent | null;
  correlation: Correlation | null;
  state: RunState;
  seq: number;
  entered_at: Date;
}

const RUN_COLUMNS = rawSql(
  'id, flow_id, version, contact_id, status, step_id, outcome, step_entered_at, due_at, awaits, listens, event, correlation, state, seq, entered_at',
);

/** Locks due runs, earliest first; skips those that another worker has locked. */
export function claimDueRuns(tx: Tx, companyId: number, now: Date, limit: number): Promise<RunRow[]> {
  return tx.query<RunRow>(sql`
    select ${RUN_COLUMNS} from flow_runs
    where company_id = ${companyId} and status = 'active' and due_at <= ${now}
    order by company_id, due_at limit ${limit} for update skip locked`);
}

/** Locks the runs of the oldest signals. Includes ended runs, whose signals are then deleted. */
export function claimSignalledRuns(tx: Tx, companyId: number, limit: number): Promise<RunRow[]> {
  return tx.query<RunRow>(sql`
    select ${RUN_COLUMNS} from flow_runs
    where company_id = ${companyId} and id = any(array(
      select run_id from flow_signals where company_id = ${companyId} order by id limit ${limit}))
    for update skip locked`);
}

/** Locks those of the runs that are live and not locked by another worker. */
export function claimRuns(tx: Tx, companyId: number, ids: number[]): Promise<RunRow[]> {
  return tx.query<RunRow>(sql`
    select ${RUN_COLUMNS} from flow_runs
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and status in ('active', 'paused')
    for update skip locked`);
}

/** The new values of a run, and its new log entries. */
export interface RunUpdate {
  id: number;
  status: string;
  reason: string | null;
  stepId: string | null;
  outcome: string | null;
  stepEnteredAt: Date | null;
  dueAt: Date;
  awaits: string | null;
  state: RunState;
  seq: number;
  log: LogEntry[];
}

export async function updateRuns(tx: Tx, companyId: number, updates: RunUpdate[], now: Date): Promise<void> {
  await tx.query(sql`
    update flow_runs r
    set status = t.status, reason = t.reason, step_id = t.step_id, outcome = t.outcome,
      step_entered_at = t.step_entered_at, due_at = t.due_at, awaits = t.awaits, state = t.state, seq = t.seq,
      ended_at = case when t.status not in ('active', 'paused') then ${now}::timestamptz end
    from unnest(${updates.map((m) => m.id)}::bigint[], ${updates.map((m) => m.status)}::text[],
      ${updates.map((m) => m.reason)}::text[], ${updates.map((m) => m.stepId)}::text[],
      ${updates.map((m) => m.outcome)}::text[], ${updates.map((m) => m.stepEnteredAt)}::timestamptz[],
      ${updates.map((m) => m.dueAt)}::timestamptz[], ${updates.map((m) => m.awaits)}::text[],
      ${updates.map((m) => JSON.stringify(m.state))}::jsonb[], ${updates.map((m) => m.seq)}::int[])
      as t (id, status, reason, step_id, outcome, step_entered_at, due_at, awaits, state, seq)
    where r.company_id = ${companyId} and r.id = t.id`);
}

export async function writeLog(tx: Tx, companyId: number, updates: RunUpdate[], now: Date): Promise<void> {
  const logged = updates.filter((update) => update.log.length > 0);
  if (logged.length === 0) return;
  await tx.query(sql`
    insert into flow_run_log (company_id, run_id, seq, at, entries)
    select ${companyId}, t.run_id, t.seq, ${now}, t.entries
    from unnest(${logged.map((m) => m.id)}::bigint[], ${logged.map((m) => m.seq)}::int[],
      ${logged.map((m) => JSON.stringify(m.log))}::jsonb[]) as t (run_id, seq, entries)`);
}

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
