import type { Tx } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';
import type { LogEntry, RunEvent, RunState } from '../engine/run.ts';

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
