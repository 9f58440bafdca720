import type { Db, Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';
import type { LogEntry, RunEvent, RunState, Signal } from '../engine/run.ts';

/** A run as a worker holds it: locked until its transaction ends. */
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
  state: RunState;
  seq: number;
  entered_at: Date;
}

const RUN_COLUMNS = rawSql(
  'id, flow_id, version, contact_id, status, step_id, outcome, step_entered_at, due_at, awaits, listens, event, state, seq, entered_at',
);

/** Locks runs that are due, first due first; those that another worker holds are passed over. */
export function claimDueRuns(tx: Tx, companyId: number, now: Date, limit: number): Promise<RunRow[]> {
  return tx.query<RunRow>(sql`
    select ${RUN_COLUMNS} from flow_runs
    where company_id = ${companyId} and status = 'active' and due_at <= ${now}
    order by company_id, due_at limit ${limit} for update skip locked`);
}

/** Locks the runs of the oldest signals. Ended ones too: their signals are to be taken away. */
export function claimSignalledRuns(tx: Tx, companyId: number, limit: number): Promise<RunRow[]> {
  return tx.query<RunRow>(sql`
    select ${RUN_COLUMNS} from flow_runs
    where company_id = ${companyId} and id = any(array(
      select run_id from flow_signals where company_id = ${companyId} order by id limit ${limit}))
    for update skip locked`);
}

/** Locks these runs, where they still go on and nobody else holds them. */
export function claimRuns(tx: Tx, companyId: number, ids: number[]): Promise<RunRow[]> {
  return tx.query<RunRow>(sql`
    select ${RUN_COLUMNS} from flow_runs
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and status in ('active', 'paused')
    for update skip locked`);
}

/** Takes the signals of runs that the transaction holds, in the order in which they came. */
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

/** Where a run stands after a transaction moved it. */
export interface RunMove {
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

export async function writeMoves(tx: Tx, companyId: number, moves: RunMove[], now: Date): Promise<void> {
  await tx.query(sql`
    update flow_runs r
    set status = t.status, reason = t.reason, step_id = t.step_id, outcome = t.outcome,
      step_entered_at = t.step_entered_at, due_at = t.due_at, awaits = t.awaits, state = t.state, seq = t.seq,
      ended_at = case when t.status not in ('active', 'paused') then ${now}::timestamptz end
    from unnest(${moves.map((m) => m.id)}::bigint[], ${moves.map((m) => m.status)}::text[],
      ${moves.map((m) => m.reason)}::text[], ${moves.map((m) => m.stepId)}::text[],
      ${moves.map((m) => m.outcome)}::text[], ${moves.map((m) => m.stepEnteredAt)}::timestamptz[],
      ${moves.map((m) => m.dueAt)}::timestamptz[], ${moves.map((m) => m.awaits)}::text[],
      ${moves.map((m) => JSON.stringify(m.state))}::jsonb[], ${moves.map((m) => m.seq)}::int[])
      as t (id, status, reason, step_id, outcome, step_entered_at, due_at, awaits, state, seq)
    where r.company_id = ${companyId} and r.id = t.id`);
}

export async function writeLog(tx: Tx, companyId: number, moves: RunMove[], now: Date): Promise<void> {
  const logged = moves.filter((move) => move.log.length > 0);
  if (logged.length === 0) return;
  await tx.query(sql`
    insert into flow_run_log (company_id, run_id, seq, at, entries)
    select ${companyId}, t.run_id, t.seq, ${now}, t.entries
    from unnest(${logged.map((m) => m.id)}::bigint[], ${logged.map((m) => m.seq)}::int[],
      ${logged.map((m) => JSON.stringify(m.log))}::jsonb[]) as t (run_id, seq, entries)`);
}

/** A run that begins to listen for an event type, and since when events count for it. */
export interface Listening {
  runId: number;
  contactId: number;
  eventType: string;
  since: Date;
  /** Of the events at `since` itself only those after this one count. */
  afterEventId: number;
}

/**
 * Keeps events of the types from being stored until the transaction ends, once those under way are stored. See
 * enrolment.ts.
 */
export async function lockEventTypes(tx: Tx, companyId: number, eventTypes: string[]): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended('flow event ' || event_type, ${companyId}))
    from unnest(${[...new Set(eventTypes)].sort()}::text[]) as event_type`);
}

/** The events that came since, as signals. */
function eventsSince(companyId: number, listening: Listening[]): Statement {
  // One bound for all lets PostgreSQL leave out the months before it.
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

/** Tells runs of something other than events. */
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

/** The first due run of each company, each found by one look into the index. */
const FIRST_DUE = sql`first_due as (
  (select company_id, due_at from flow_runs where status = 'active' order by company_id, due_at limit 1)
  union all
  select next.* from first_due cross join lateral (
    select company_id, due_at from flow_runs where status = 'active' and company_id > first_due.company_id
    order by company_id, due_at limit 1) next
)`;

/** A company for whose flows there is something to do, and whether it is more than runs to be moved. */
export interface CompanyWork {
  company_id: number;
  emissions: boolean;
  tasks: boolean;
}

/** Each table costs one look per company that is in it at all. */
export function companiesWithWork(db: Db, now: Date): Promise<CompanyWork[]> {
  return db.query<CompanyWork>(sql`
    with recursive ${FIRST_DUE},
    found as (
      select company_id, 'run' as kind from first_due where due_at <= ${now}
      union select company_id, 'signal' from ${companiesIn('flow_signals')} s
      union select company_id, 'emission' from ${companiesIn('flow_emissions')} e
      union select company_id, 'task' from ${companiesIn('flow_tasks')} t
    )
    select company_id, bool_or(kind = 'emission') as emissions, bool_or(kind = 'task') as tasks
    from found group by company_id order by company_id`);
}

/** When the next run comes due, in any company, or what was put off. */
export async function nextDueRun(db: Queryable): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(sql`
    with recursive ${FIRST_DUE}
    select min(due_at) as due_at from (
      select due_at from first_due
      union all select due_at from flow_tasks where attempts > 0
      union all select due_at from flow_emissions where attempts > 0
    ) moments`);
  return rows[0]!.due_at;
}

function companiesIn(table: 'flow_signals' | 'flow_emissions' | 'flow_tasks'): Statement {
  const name = rawSql(table);
  return sql`(
    with recursive present as (
      (select company_id from ${name} order by company_id limit 1)
      union all
      select (select company_id from ${name} t where t.company_id > present.company_id order by company_id limit 1)
      from present where present.company_id is not null
    )
    select company_id from present where company_id is not null)`;
}

export interface FailedRun {
  status: string;
  flow_id: number;
  contact_id: number;
  step_id: string | null;
  version: number;
  /** The flow's newest version. */
  newest: number;
  awaits: string | null;
  listens: string[];
  seq: number;
  entered_at: Date;
  ended_at: Date;
  flow_ended: boolean;
}

/** Any run, locked, as far as a retry is concerned. */
export async function lockFailedRun(tx: Tx, companyId: number, id: number): Promise<FailedRun | undefined> {
  const rows = await tx.query<FailedRun>(sql`
    select r.status, r.flow_id, r.contact_id, r.step_id, r.version, f.version as newest, r.awaits, r.listens, r.seq,
      r.entered_at, r.ended_at,
      f.deleted_at is not null or f.status not in ('active', 'paused') as flow_ended
    from flow_runs r join flows f on f.company_id = r.company_id and f.id = r.flow_id
    where r.company_id = ${companyId} and r.id = ${id} for update of r`);
  return rows[0];
}

/**
 * Lets an ended run go on: at once, unless it waits for a later moment. Breaks the unique index flow_runs_live where the
 * contact has another live run in the flow.
 */
export async function reviveRun(
  tx: Tx,
  companyId: number,
  id: number,
  by: { version: number; listens: string[]; now: Date },
): Promise<void> {
  await tx.query(sql`
    update flow_runs set status = 'active', reason = null, ended_at = null, due_at = greatest(due_at, ${by.now}),
      version = ${by.version}, listens = ${by.listens}
    where company_id = ${companyId} and id = ${id}`);
}
