import type { Tx } from '../../../db/pool.ts';
import type { Caused, Transition } from '../execution/queries.ts';
import { effectsOf } from '../execution/run-transitions.ts';
import { logSkipped, noFlow, notActive } from '../execution/skipping.ts';
import { flowStatuses } from '../queries.ts';
import type { CompanyFlows } from './company-flows.ts';
import type { Entrant, StartedRun } from './queries.ts';

/** Flows started by start_flow steps. A start that does not happen is logged in the run that requested it. */

/** A start and the entrant of the started flow. */
interface Starting {
  start: Caused<'start'>;
  entrant: Entrant;
}

interface StartPlan {
  starting: Starting[];
  /** Errors by run: the flow to start was deleted. */
  refused: Map<number, Error>;
}

/** The start of an inactive flow is skipped; the start of a deleted flow fails the run. */
export async function planStarts(
  tx: Tx,
  companyId: number,
  transitions: Transition[],
  flowsIn: (tx: Tx, companyId: number) => Promise<CompanyFlows>,
): Promise<StartPlan> {
  const plan: StartPlan = { starting: [], refused: new Map() };
  const starts = effectsOf(transitions, 'start');
  if (starts.length === 0) return plan;
  const flows = await flowsIn(tx, companyId);
  const idle: Caused<'start'>[] = [];
  for (const start of starts) {
    const flow = flows.byId.get(start.effect.flowId);
    const { contactId, event, correlation } = start.transition.outcome.run;
    if (!flow?.active) idle.push(start);
    else plan.starting.push({ start, entrant: { flow, contactId, event, correlation, hops: start.effect.hops } });
  }
  if (idle.length === 0) return plan;
  const existing = await flowStatuses(tx, companyId, [...new Set(idle.map(({ effect }) => effect.flowId))]);
  for (const start of idle) {
    const { flowId } = start.effect;
    if (existing.has(flowId)) logSkipped(start.transition.outcome, start.effect.stepId, notActive(flowId));
    else plan.refused.set(start.transition.update.id, new Error(noFlow(flowId)));
  }
  return plan;
}

/** Logs the starts that created no run because re-entry was not allowed. */
export function logNotEntered(starting: Starting[], started: StartedRun[]): void {
  const keyOf = (flowId: number, contactId: number, eventId: number | null): string =>
    `${flowId}:${contactId}:${eventId}`;
  const left = new Map<string, number>();
  for (const run of started) {
    const key = keyOf(run.flow_id, run.contact_id, run.event_id);
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  for (const { start, entrant } of starting) {
    const key = keyOf(entrant.flow.flowId, entrant.contactId, entrant.event?.event_id ?? null);
    const runs = left.get(key) ?? 0;
    if (runs > 0) left.set(key, runs - 1);
    else {
      const reason = `Flow ${entrant.flow.flowId} does not allow the contact to enter again`;
      logSkipped(start.transition.outcome, start.effect.stepId, reason);
    }
  }
}
