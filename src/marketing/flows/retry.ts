import { constraintOf, type Tx } from '../../db/pool.ts';
import { AppError, notFound } from '../../errors.ts';
import * as queries from './run-queries.ts';
import { addCounts, type FlowCount } from './stats.ts';

/**
 * Lets a failed run go on at the step at which it failed. What it would have heard of meanwhile, it hears now. Throws
 * `not_found`, or `bad_request` where the run has not failed, its flow has ended, or its contact walks through it anew.
 */
export async function retry(tx: Tx, companyId: number, runId: number, now: Date): Promise<void> {
  const run = await queries.lockFailedRun(tx, companyId, runId);
  if (run === undefined) throw notFound(`run ${runId}`);
  if (run.status !== 'failed')
    throw new AppError('bad_request', `The run is ${run.status}: only failed ones are retried`);
  if (run.flow_ended) throw new AppError('bad_request', 'The flow of the run is archived');
  const { flow_id: flowId, step_id: stepId } = run;
  const listening = run.listens.map((eventType) => ({
    runId,
    contactId: run.contact_id,
    eventType,
    since: run.ended_at,
    afterEventId: 0,
  }));
  if (listening.length > 0) {
    await queries.lockEventTypes(tx, companyId, run.listens);
    await queries.signalEventsSince(tx, companyId, listening);
  }
  try {
    await tx.savepoint(() => queries.reviveRun(tx, companyId, runId, now));
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
