import type { Db } from '../../../../db/pool.ts';
import type { RenderContext } from '../../../../messaging/compose/liquid/engine.ts';
import type { Renderer } from '../../../../messaging/compose/liquid/renderer.ts';
import { RequestRefused } from '../../../../net/host-guard.ts';
import type { SafeFetch } from '../../../../net/safe-fetch.ts';
import { tracedFetch } from '../../../../net/traced-fetch.ts';
import { loadContacts } from '../../../contacts/service.ts';
import type { Config } from '../../definition/steps.ts';
import * as queries from './queries.ts';
import { isTransient, type RenderTexts, requestOf, savedResponse } from './request.ts';

/** An attempt without a response. */
const NO_RESPONSE = { status: null, body: null };
/** Claims after which a call is given up: something kills every worker before it can record the result. */
const MAX_CLAIMS = 10;

/** The result of one attempt: final for the run, to be retried, postponed while the flow is paused, or obsolete for its run. */
export type CallResult =
  | { kind: 'final'; ok: boolean; status: number | null; error: string | null; response: unknown }
  | { kind: 'retry'; status: number | null; error: string; response: unknown }
  | { kind: 'postponed' }
  | { kind: 'obsolete'; error: string };

export interface AttemptDeps {
  db: Db;
  renderer: Renderer;
  safeFetch: SafeFetch;
}

/** Makes a claimed call once, outside of any transaction, unless its run no longer waits for it. */
export async function attemptCall(
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
