import { constraintOf, type Tx } from '../../../db/pool.ts';
import { AppError, notFound } from '../../../errors.ts';
import { readGraphs, sharedSteps } from '../definition/versions.ts';
import { addCounts, type FlowCount } from '../report/stats.ts';
import * as retryQueries from './retry-queries.ts';
import * as signalQueries from './signal-queries.ts';

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
  const run = await retryQueries.lockFailedRun(tx, companyId, runId);
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
    await signalQueries.lockEventTypes(tx, companyId, eventTypes);
    await signalQueries.signalEventsSince(tx, companyId, listening);
  }
  try {
    await tx.savepoint(() => retryQueries.reviveRun(tx, companyId, runId, { ...resumed, now }));
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
  run: retryQueries.FailedRun,
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
