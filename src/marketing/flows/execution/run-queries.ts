import type { Tx } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';
import type { Correlation } from '../../../lib/tracing/correlation.ts';
import type { LogEntry, RunEvent, RunState } from '../engine/run.ts';

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
