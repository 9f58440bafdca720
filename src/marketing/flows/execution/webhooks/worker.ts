import type { Logger } from 'pino';
import type { Clock } from '../../../../clock.ts';
import type { Db } from '../../../../db/pool.ts';
import type { Renderer } from '../../../../messaging/compose/liquid/renderer.ts';
import { RequestRefused, type SafeFetch } from '../../../../outbox/safe-fetch.ts';
import { makeCalls } from '../../../../work/fair-calls.ts';
import { createWorker, type Worker } from '../../../../work/worker.ts';
import { loadContacts } from '../../../contacts/service.ts';
import type { Config } from '../../definition/steps.ts';
import { createGraphs } from '../../definition/versions.ts';
import type { Signal } from '../../engine/run.ts';
import { insertSignals } from '../signal-queries.ts';
import * as queries from './queries.ts';
import { answerOf, isPassing, requestOf, retryDelay } from './request.ts';

export interface FlowWebhookDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  renderer: Renderer;
  safeFetch: SafeFetch;
}

const IDLE_MS = 250;
const PER_COMPANY = 8;
const IN_ALL = 64;
/** A call of a paused flow is looked at again after so long. */
const PAUSED_MS = 60_000;
/** A call that was claimed so often has not failed: whoever makes it does not come to an end with it. */
const MAX_CLAIMS = 10;
const MAX_ERROR = 500;

/** What a call came to: an answer for the run, another try, or nothing to be done. */
type Result =
  | { kind: 'answered'; ok: boolean; status: number | null; error: string | null; answer: unknown }
  | { kind: 'again'; status: number | null; error: string; answer: unknown }
  | { kind: 'postponed' }
  | { kind: 'pointless'; error: string };

/**
 * Makes the calls of webhook steps, outside of any transaction, and tells the runs what came of them. A call is made at
 * least once; one that was made twice, because a worker died before it wrote the answer down, has the same
 * Idempotency-Key.
 */
export function createFlowWebhookWorker({ db, clock, log, renderer, safeFetch }: FlowWebhookDeps): Worker {
  const graphsOf = createGraphs();

  async function claim(companyId: number, limit: number): Promise<queries.ClaimedCall[]> {
    return db.tenantTx(companyId, (tx) => queries.claimCalls(tx, companyId, { now: clock.now(), limit }));
  }

  async function call(companyId: number, claimed: queries.ClaimedCall): Promise<void> {
    const config = await configOf(companyId, claimed);
    const result = config === null ? pointless('the step is gone') : await attempt(companyId, claimed, config);
    await settle(companyId, claimed, config?.save_as ?? null, result);
  }

  async function configOf(companyId: number, claimed: queries.ClaimedCall): Promise<Config<'webhook'> | null> {
    const { flow_id: flowId, version, step_id } = claimed;
    const graphs = await graphsOf(db, companyId, [{ flowId, version }]);
    const step = graphs.get(`${flowId}:${version}`)?.steps.get(step_id);
    return step?.type === 'webhook' ? step.config : null;
  }

  async function attempt(companyId: number, claimed: queries.ClaimedCall, config: Config<'webhook'>): Promise<Result> {
    if (claimed.attempts > MAX_CLAIMS) {
      const error = `Given up: begun ${MAX_CLAIMS} times and never brought to an end`;
      return { kind: 'answered', ok: false, status: null, error, answer: { status: null, body: null } };
    }
    const run = await queries.findWaitingRun(db, companyId, claimed);
    if (run === undefined || !run.waits) return pointless('the run does not wait for it any more');
    if (run.flow_status === 'paused') return { kind: 'postponed' };
    if (run.flow_status !== 'active') return pointless('the flow has ended');
    const { run_id, flow_id, step_id, visit } = claimed;
    const contact = (await loadContacts(db, companyId, [run.contact_id])).get(run.contact_id) ?? null;
    const fallback = { flow_id, run_id, step_id, event: run.event, vars: run.vars, contact };
    const context = JSON.parse(JSON.stringify({ event: run.event?.data ?? {}, vars: run.vars, contact }));
    const render = async (texts: string[]): Promise<string[]> => {
      const requests = texts.map((text) => ({ text, context, html: false }));
      const rendered = await renderer.render(requests, { companyId, lane: 'bulk' });
      return rendered.map((one) => {
        if (!one.ok && (one.exceeded === 'time' || one.exceeded === 'interrupted'))
          throw new Error(`Liquid: ${one.error}`);
        if (!one.ok) throw new RequestRefused(`Liquid: ${one.error}`);
        return one.text;
      });
    };
    try {
      const response = await safeFetch.fetch(
        await requestOf(config, fallback, `f:${run_id}:${step_id}:${visit}`, render),
      );
      const { status } = response;
      const answer = answerOf(response);
      if (status >= 200 && status < 300) return { kind: 'answered', ok: true, status, error: null, answer };
      const error = `The answer was ${status}`;
      return isPassing(status)
        ? { kind: 'again', status, error, answer }
        : { kind: 'answered', ok: false, status, error, answer };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const answer = { status: null, body: null };
      return error instanceof RequestRefused
        ? { kind: 'answered', ok: false, status: null, error: text, answer }
        : { kind: 'again', status: null, error: text, answer };
    }
  }

  /** Writes down what came of the call; the run is told in the same transaction. */
  async function settle(
    companyId: number,
    claimed: queries.ClaimedCall,
    saveAs: string | null,
    result: Result,
  ): Promise<void> {
    const now = clock.now();
    const delay = result.kind === 'again' ? retryDelay(claimed.attempts) : null;
    await db.tenantTx(companyId, async (tx) => {
      if (result.kind === 'postponed') {
        const dueAt = new Date(now.getTime() + PAUSED_MS);
        const attempts = claimed.attempts - 1;
        await queries.settleCall(tx, companyId, claimed, { ...UNTRIED, status: 'pending', attempts, dueAt });
        return;
      }
      const { error } = result;
      const settled = {
        status: delay !== null ? 'pending' : result.kind === 'answered' && result.ok ? 'done' : 'failed',
        attempts: claimed.attempts,
        dueAt: new Date(now.getTime() + (delay ?? 0) * 1_000),
        responseStatus: result.kind === 'pointless' ? null : result.status,
        error: error === null ? null : error.slice(0, MAX_ERROR),
      } as const;
      const mine = await queries.settleCall(tx, companyId, claimed, settled);
      if (!mine || delay !== null || result.kind === 'pointless') return;
      const { step_id, visit, run_id: runId } = claimed;
      const ok = result.kind === 'answered' && result.ok;
      const why = settled.error ?? undefined;
      const signal: Signal = { kind: 'webhook', step_id, visit, ok, save_as: saveAs, answer: result.answer, why };
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
              log.error({ err: error, company_id: companyId, call: claimed }, 'a webhook call was lost to its lease'),
            ),
          perCompany: PER_COMPANY,
          inAll: IN_ALL,
        },
        signal,
      ),
  });
}

const UNTRIED = { responseStatus: null, error: null };

function pointless(error: string): Result {
  return { kind: 'pointless', error };
}
