import { constraintOf, type Tx } from '../../../db/pool.ts';
import { AppError, notFound } from '../../../errors.ts';
import { readGraphs, sharedSteps } from '../definition/versions.ts';
import { addCounts, type FlowCount } from '../report/stats.ts';
import * as retryQueries from './retry-queries.ts';
import * as signalQueries from './signal-queries.ts';

/**
 * How far before a run's end its retry looks back for events, in ms: one that was being stored as the run ended may have
 * been received before. Longer than storing takes; to hear an event twice does no harm.
 */
const LOOK_BACK_MS = 60_000;

/**
 * Lets a failed run go on at the step at which it failed: by the newest version, where that has the step, so that what was
 * mended counts; else by its own. What it would have heard of meanwhile, it hears now. Throws `not_found`, or
 * `bad_request` where the run has not failed, its flow has ended, or its contact walks through it anew.
 */
export async function retry(tx: Tx, companyId: number, runId: number, now: Date): Promise<void> {
  const run = await retryQueries.lockFailedRun(tx, companyId, runId);
  if (run === undefined) throw notFound(`run ${runId}`);
  if (run.status !== 'failed')
    throw new AppError('bad_request', `The run is ${run.status}: only failed ones are retried`);
  if (run.flow_ended) throw new AppError('bad_request', 'The flow of the run is archived');
  const { flow_id: flowId, step_id: stepId } = run;
  const revived = await versionToGoOnBy(tx, companyId, run);
  const heard = run.awaits === null ? revived.listens : [...new Set([...revived.listens, run.awaits])];
  if (heard.length > 0) {
    // One that failed as it was looked at first has not yet looked back itself.
    const since = run.seq === 1 ? run.entered_at : new Date(run.ended_at.getTime() - LOOK_BACK_MS);
    const listening = heard.map((eventType) => {
      return { runId, contactId: run.contact_id, eventType, since, afterEventId: Number.MAX_SAFE_INTEGER };
    });
    await signalQueries.lockEventTypes(tx, companyId, heard);
    await signalQueries.signalEventsSince(tx, companyId, listening);
  }
  try {
    await tx.savepoint(() => retryQueries.reviveRun(tx, companyId, runId, { ...revived, now }));
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

async function versionToGoOnBy(
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
  const [own, mended] = [graphs.get(`${flowId}:${version}`)!, graphs.get(`${flowId}:${newest}`)!];
  const fits = stepId === null || sharedSteps(own, mended).includes(stepId);
  return fits ? { version: newest, listens: [...mended.listens] } : { version, listens };
}
