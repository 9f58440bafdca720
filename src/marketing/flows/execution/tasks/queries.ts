import type { Tx } from '../../../../db/pool.ts';
import { type Statement, sql } from '../../../../db/sql.ts';

/** The destination of runs at a step that the newest version lacks: one of its steps, or null to end them. */
export interface Move {
  step_id: string;
  to: string | null;
}

/** The progress of a migration. It starts again if the flow gets another version. */
export interface Walk {
  version: number;
  /** The last run that was processed. */
  position: number;
  /** The first run that a worker had locked: the migration returns to it. */
  held: number | null;
}

type TaskKind = 'exit' | 'resume' | 'migrate' | 'enroll';

export interface Task {
  id: number;
  flow_id: number;
  kind: TaskKind;
  created_at: Date;
  /** Number of failed attempts. */
  attempts: number;
  /** For a migration. */
  moves: Move[];
  /** For a migration that has started. */
  walk: Walk | null;
}

export async function insertTask(
  tx: Tx,
  companyId: number,
  { flow_id: flowId, kind, moves, walk }: Pick<Task, 'flow_id' | 'kind' | 'moves' | 'walk'>,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into flow_tasks (company_id, flow_id, kind, moves, walk, created_at)
    values (${companyId}, ${flowId}, ${kind}, ${JSON.stringify(moves)}::jsonb, ${walk}, ${now})`);
}

/** Locks the oldest due task that no other worker has locked. */
export async function claimTask(tx: Tx, companyId: number, now: Date): Promise<Task | undefined> {
  const rows = await tx.query<Task>(sql`
    select id, flow_id, kind, created_at, attempts, moves, walk from flow_tasks where company_id = ${companyId} and due_at <= ${now}
    order by id limit 1 for update skip locked`);
  return rows[0];
}

/** Postpones a task that failed. */
export async function postponeTask(
  tx: Tx,
  companyId: number,
  id: number,
  { dueAt, error }: { dueAt: Date; error: string },
): Promise<void> {
  await tx.query(sql`
    update flow_tasks set attempts = attempts + 1, due_at = ${dueAt}, error = ${error}
    where company_id = ${companyId} and id = ${id}`);
}

/** Clears the error of a task that failed before and now progresses. */
export async function clearTaskError(tx: Tx, companyId: number, id: number): Promise<void> {
  await tx.query(sql`update flow_tasks set error = null where company_id = ${companyId} and id = ${id}`);
}

export async function setWalk(tx: Tx, companyId: number, id: number, walk: Walk): Promise<void> {
  await tx.query(sql`update flow_tasks set walk = ${walk} where company_id = ${companyId} and id = ${id}`);
}

export async function deleteTask(tx: Tx, companyId: number, id: number): Promise<void> {
  await tx.query(sql`delete from flow_tasks where company_id = ${companyId} and id = ${id}`);
}

/** The result of one piece of a task: the runs it changed, and whether more remain, including those locked by a worker. */
export interface Piece {
  done: number;
  more: boolean;
}

async function piece(tx: Tx, changed: Statement, left: Statement): Promise<Piece> {
  const [rows, remaining] = await Promise.all([
    tx.query<{ n: number }>(changed),
    // Not `exists`, which drops the order: the planner would expect an early match and scan the whole table if there is none.
    tx.query<{ more: boolean }>(sql`select count(*) > 0 as more from (${left}) remaining`),
  ]);
  return { done: rows[0]!.n, more: remaining[0]!.more };
}

/** Ends live runs that entered up to a moment, at any step. */
export function exitRuns(
  tx: Tx,
  companyId: number,
  flowId: number,
  exit: { reason: string; enteredBy: Date; now: Date; limit: number },
): Promise<Piece> {
  const live = (limit: number): Statement =>
    eachLive(
      (status) => sql`
      select id from flow_runs where company_id = ${companyId} and flow_id = ${flowId} and status = ${status}
        and entered_at <= ${exit.enteredBy} order by id limit ${limit}`,
    );
  const changed = sql`
    with chosen as (
      select id from flow_runs where company_id = ${companyId} and id = any(array(${live(exit.limit)}))
        and status in ('active', 'paused')
      limit ${exit.limit} for update skip locked)
    select exit_flow_runs(${companyId}, array(select id from chosen), ${exit.reason}, ${exit.now}) as n`;
  return piece(tx, changed, live(1));
}

/** A query over live runs, by one index range for each of their two statuses. */
export function eachLive(find: (status: Statement) => Statement): Statement {
  return sql`(${find(sql`'active'`)}) union all (${find(sql`'paused'`)})`;
}

/** Resumes runs that came due while their flow was paused, the earliest first. */
export function resumeRuns(tx: Tx, companyId: number, flowId: number, limit: number): Promise<Piece> {
  const frozen = sql`from flow_runs where company_id = ${companyId} and flow_id = ${flowId} and status = 'paused'`;
  const changed = sql`
    with chosen as (select id ${frozen} order by due_at limit ${limit} for update skip locked),
    resumed as (
      update flow_runs r set status = 'active' from chosen where r.company_id = ${companyId} and r.id = chosen.id
      returning 1
    )
    select count(*) as n from resumed`;
  return piece(tx, changed, sql`select 1 ${frozen} order by due_at limit 1`);
}
