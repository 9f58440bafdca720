import type { Logger } from 'pino';
import type { Clock } from '../../../../clock.ts';
import type { Db } from '../../../../db/pool.ts';
import { counter } from '../../../../lib/measures.ts';
import type { RenderContext } from '../../../../messaging/compose/liquid/render.ts';
import type { Renderer } from '../../../../messaging/compose/renderer.ts';
import { RequestRefused } from '../../../../net/host-guard.ts';
import type { SafeFetch } from '../../../../net/safe-fetch.ts';
import { tracedFetch } from '../../../../net/traced-fetch.ts';
import { makeCalls } from '../../../../work/fair-calls.ts';
import { createWorker, type Worker } from '../../../../work/worker.ts';
import { loadContacts } from '../../../contacts/service.ts';
import type { Config } from '../../definition/steps.ts';
import { createGraphs } from '../../definition/versions.ts';
import type { Signal } from '../../engine/run.ts';
import { insertSignals } from '../queries.ts';
import * as queries from './queries.ts';
import { isTransient, type RenderTexts, requestOf, retryDelay, savedResponse } from './request.ts';

interface FlowWebhookDeps extends AttemptDeps {
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

/** An attempt without a response. */
const NO_RESPONSE = { status: null, body: null };
/** Claims after which a call is given up: something kills every worker before it can record the result. */
const MAX_CLAIMS = 10;

/** The result of one attempt: final for the run, to be retried, postponed while the flow is paused, or obsolete for its run. */
type CallResult =
  | { kind: 'final'; ok: boolean; status: number | null; error: string | null; response: unknown }
  | { kind: 'retry'; status: number | null; error: string; response: unknown }
  | { kind: 'postponed' }
  | { kind: 'obsolete'; error: string };

interface AttemptDeps {
  db: Db;
  renderer: Renderer;
  safeFetch: SafeFetch;
}

/** Makes a claimed call once, outside of any transaction, unless its run no longer waits for it. */
async function attemptCall(
  { db, renderer, safeFetch }: AttemptDeps,
  companyId: number,
  claimed: queries.ClaimedCall,
  config: Config<'webhook'>,
): Promise<CallResult> {
  if (claimed.attempts > MAX_CLAIMS) return failed(`Given up after ${MAX_CLAIMS} attempts that never finished`);
  const run = await queries.findWaitingRun(db, companyId, claimed);
  if (run === undefined || !run.waits) return { kind: 'obsolete', error: 'the run no longer waits for it' };
  if (run.flow_status === 'paused') return { kind: 'postponed' };
  if (run.flow_status !== 'active') return { kind: 'obsolete', error: 'the flow has ended' };
  const { run_id, flow_id, step_id, visit } = claimed;
  const contact = (await loadContacts(db, companyId, [run.contact_id])).get(run.contact_id) ?? null;
  const fallback = { flow_id, run_id, step_id, event: run.event, vars: run.vars, contact };
  const context = JSON.parse(JSON.stringify({ event: run.event?.data ?? {}, vars: run.vars, contact }));
  const key = `f:${run_id}:${step_id}:${visit}`;
  try {
    const request = await requestOf(config, fallback, key, rendererOf(renderer, companyId, context));
    const { correlation } = run;
    const attributes = { 'tradeloom.flow.id': flow_id, 'tradeloom.run.id': run_id, 'tradeloom.step.id': step_id };
    const response = await tracedFetch(safeFetch, request, {
      companyId,
      correlation,
      attributes,
      attempt: claimed.attempts,
    });
    const { status } = response;
    const saved = savedResponse(response);
    if (status >= 200 && status < 300) return { kind: 'final', ok: true, status, error: null, response: saved };
    const error = `The response was ${status}`;
    return isTransient(status)
      ? { kind: 'retry', status, error, response: saved }
      : { kind: 'final', ok: false, status, error, response: saved };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return error instanceof RequestRefused
      ? failed(text)
      : { kind: 'retry', status: null, error: text, response: NO_RESPONSE };
  }
}

/** Renders the texts of a call. A text over its time limit is retried; any other failure is final. */
function rendererOf(renderer: Renderer, companyId: number, context: RenderContext): RenderTexts {
  return async (texts) => {
    const requests = texts.map((text) => ({ text, context, html: false }));
    const rendered = await renderer.render(requests, { companyId, priority: 'bulk' });
    return rendered.map((one) => {
      if (!one.ok && (one.exceeded === 'time' || one.exceeded === 'interrupted'))
        throw new Error(`Liquid: ${one.error}`);
      if (!one.ok) throw new RequestRefused(`Liquid: ${one.error}`);
      return one.text;
    });
  };
}

function failed(error: string): CallResult {
  return { kind: 'final', ok: false, status: null, error, response: NO_RESPONSE };
}
