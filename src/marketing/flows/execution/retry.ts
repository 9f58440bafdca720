import { constraintOf, type Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { AppError, notFound } from '../../../errors.ts';
import { readGraphs, sharedSteps } from '../definition/versions.ts';
import { addCounts, type FlowCount } from '../report/stats.ts';
import * as queries from './queries.ts';

/**
 * How far before the end of a run its retry looks for events, in ms: an event that was being stored as the run ended may
 * have an earlier received_at. This is longer than storing takes; applying an event twice is harmless.
 */
const LOOK_BACK_MS = 60_000;

/**
 * Resumes a failed run at the step that failed: in the newest version if that has the step, so that a fix of the flow
 * applies, otherwise in its own version. Events since its failure become its signals. Throws `not_found`, or `bad_request`
 * if the run has not failed, its flow has ended, or the contact has another live run in the flow.
 */
export async function retry(tx: Tx, companyId: number, runId: number, now: Date): Promise<void> {
  const run = await lockFailedRun(tx, companyId, runId);
  if (run === undefined) throw notFound(`run ${runId}`);
  if (run.status !== 'failed')
    throw new AppError('bad_request', `The run is ${run.status}: only failed ones are retried`);
  if (run.flow_ended) throw new AppError('bad_request', 'The flow of the run is archived');
  const { flow_id: flowId, step_id: stepId } = run;
  const resumed = await versionToResume(tx, companyId, run);
  const eventTypes = run.awaits === null ? resumed.listens : [...new Set([...resumed.listens, run.awaits])];
  if (eventTypes.length > 0) {
    // A run that failed in its first transition has not yet looked for events since its entry.
    const since = run.seq === 1 ? run.entered_at : new Date(run.ended_at.getTime() - LOOK_BACK_MS);
    const listening = eventTypes.map((eventType) => {
      return { runId, contactId: run.contact_id, eventType, since, afterEventId: Number.MAX_SAFE_INTEGER };
    });
    await queries.lockEventTypes(tx, companyId, eventTypes);
    await queries.signalEventsSince(tx, companyId, listening);
  }
  try {
    await tx.savepoint(() => reviveRun(tx, companyId, runId, { ...resumed, now }));
  } catch (error) {
    if (constraintOf(error) !== 'flow_runs_live') throw error;
    throw new AppError('bad_request', 'The contact is in the flow with another run');
  }
  const counts: FlowCount[] = [
    { flowId, stepId: '', metric: 'failed', n: -1 },
    { flowId, stepId: '', metric: 'active', n: 1 },
  ];
  if (stepId !== null)
    counts.push({ flowId, stepId, metric: 'failed', n: -1 }, { flowId, stepId, metric: 'waiting', n: 1 });
  await addCounts(tx, companyId, counts);
}

async function versionToResume(
  tx: Tx,
  companyId: number,
  run: FailedRun,
): Promise<{ version: number; listens: string[] }> {
  const { flow_id: flowId, version, newest, step_id: stepId, listens } = run;
  const graphs = await readGraphs(
    tx,
    companyId,
    [version, newest].map((one) => ({ flowId, version: one })),
  );
  const [own, latest] = [graphs.get(`${flowId}:${version}`)!, graphs.get(`${flowId}:${newest}`)!];
  const fits = stepId === null || sharedSteps(own, latest).includes(stepId);
  return fits ? { version: newest, listens: [...latest.listens] } : { version, listens };
}

interface FailedRun {
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

/** Locks a run of any status for a retry. */
async function lockFailedRun(tx: Tx, companyId: number, id: number): Promise<FailedRun | undefined> {
  const rows = await tx.query<FailedRun>(sql`
    select r.status, r.flow_id, r.contact_id, r.step_id, r.version, f.version as newest, r.awaits, r.listens, r.seq,
      r.entered_at, r.ended_at,
      f.deleted_at is not null or f.status not in ('active', 'paused') as flow_ended
    from flow_runs r join flows f on f.company_id = r.company_id and f.id = r.flow_id
    where r.company_id = ${companyId} and r.id = ${id} for update of r`);
  return rows[0];
}

/**
 * Makes an ended run active again; it is due at once, unless it waits for a later moment. Violates the unique index
 * flow_runs_live if the contact has another live run in the flow.
 */
async function reviveRun(
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
