import type { Logger } from 'pino';
import type { Clock } from '../../../../clock.ts';
import { counter } from '../../../../lib/measures.ts';
import { makeCalls } from '../../../../work/fair-calls.ts';
import { createWorker, type Worker } from '../../../../work/worker.ts';
import type { Config } from '../../definition/steps.ts';
import { createGraphs } from '../../definition/versions.ts';
import type { Signal } from '../../engine/run.ts';
import { insertSignals } from '../signal-queries.ts';
import { type AttemptDeps, attemptCall, type CallResult } from './attempt.ts';
import * as queries from './queries.ts';
import { retryDelay } from './request.ts';

export interface FlowWebhookDeps extends AttemptDeps {
  clock: Clock;
  log: Logger;
}

const calls = counter(
  'tradeloom_flow_webhook_calls_total',
  'Attempts of webhook steps of flows, by what became of them',
  {
    outcome: ['done', 'pending', 'failed'],
  },
);

const IDLE_MS = 250;
const PER_COMPANY = 8;
const IN_ALL = 64;
/** Milliseconds after which the call of a paused flow is checked again. */
const PAUSED_MS = 60_000;
const MAX_ERROR = 500;

/**
 * Makes the calls of webhook steps, outside of any transaction, and signals the results to the runs. A call is made at
 * least once; if it is repeated because a worker died before recording the result, it has the same Idempotency-Key.
 */
export function createFlowWebhookWorker(deps: FlowWebhookDeps): Worker {
  const { db, clock, log } = deps;
  const graphsOf = createGraphs();

  async function claim(companyId: number, limit: number): Promise<queries.ClaimedCall[]> {
    return db.tenantTx(companyId, (tx) => queries.claimCalls(tx, companyId, { now: clock.now(), limit }));
  }

  async function call(companyId: number, claimed: queries.ClaimedCall): Promise<void> {
    const config = await configOf(companyId, claimed);
    const result: CallResult =
      config === null
        ? { kind: 'obsolete', error: 'the step is gone' }
        : await attemptCall(deps, companyId, claimed, config);
    await settle(companyId, claimed, config?.save_as ?? null, result);
  }

  async function configOf(companyId: number, claimed: queries.ClaimedCall): Promise<Config<'webhook'> | null> {
    const { flow_id: flowId, version, step_id } = claimed;
    const graphs = await graphsOf(db, companyId, [{ flowId, version }]);
    const step = graphs.get(`${flowId}:${version}`)?.steps.get(step_id);
    return step?.type === 'webhook' ? step.config : null;
  }

  /** Records the result of the call, and signals it to the run in the same transaction. */
  async function settle(
    companyId: number,
    claimed: queries.ClaimedCall,
    saveAs: string | null,
    result: CallResult,
  ): Promise<void> {
    const now = clock.now();
    const delay = result.kind === 'retry' ? retryDelay(claimed.attempts) : null;
    await db.tenantTx(companyId, async (tx) => {
      if (result.kind === 'postponed') {
        const dueAt = new Date(now.getTime() + PAUSED_MS);
        const attempts = claimed.attempts - 1;
        await queries.settleCall(tx, companyId, claimed, { ...NOT_ATTEMPTED, status: 'pending', attempts, dueAt });
        return;
      }
      const ok = result.kind === 'final' && result.ok;
      const { error } = result;
      const settled = {
        status: delay !== null ? 'pending' : ok ? 'done' : 'failed',
        attempts: claimed.attempts,
        dueAt: new Date(now.getTime() + (delay ?? 0) * 1_000),
        responseStatus: result.kind === 'obsolete' ? null : result.status,
        error: error === null ? null : error.slice(0, MAX_ERROR),
      } as const;
      const mine = await queries.settleCall(tx, companyId, claimed, settled);
      if (mine) calls.inc({ outcome: settled.status });
      if (!mine || delay !== null || result.kind === 'obsolete') return;
      const { step_id, visit, run_id: runId } = claimed;
      const why = settled.error ?? undefined;
      const signal: Signal = { kind: 'webhook', step_id, visit, ok, save_as: saveAs, answer: result.response, why };
      await insertSignals(tx, companyId, [{ runId, signal }]);
    });
  }

  return createWorker({
    name: 'flow-webhooks',
    idleMs: IDLE_MS,
    log,
    nextDue: () => queries.nextDueCall(db),
    run: (signal) =>
      makeCalls(
        {
          companies: () => queries.companiesWithCalls(db, clock.now()),
          claim,
          call: (companyId, claimed) =>
            call(companyId, claimed).catch((error: unknown) =>
              log.error(
                { err: error, company_id: companyId, call: claimed },
                'a webhook call was not settled: it is claimed again when its lease expires',
              ),
            ),
          share: PER_COMPANY,
          capacity: IN_ALL,
        },
        signal,
      ),
  });
}

const NOT_ATTEMPTED = { responseStatus: null, error: null };
