import type { Tx } from '../../../db/pool.ts';
import { type Caused, effectsOf, type Moved } from '../execution/run-transitions.ts';
import { noFlow, notActive, noteSkipped } from '../execution/skipping.ts';
import { flowStatuses } from '../queries.ts';
import type { CompanyFlows } from './company-flows.ts';
import type { Entrant, StartedRun } from './entry-queries.ts';

/** The flows that runs start. What is not started is said in their logs: the people of the shop look for it there. */

/** A start that is due, and who enters by it. */
export interface Starting {
  start: Caused<'start'>;
  entrant: Entrant;
}

export interface StartPlan {
  starting: Starting[];
  /** Why runs cannot go on, by run: the flows that they start are gone. */
  refused: Map<number, Error>;
}

/** A flow that is not active is passed over; one that was deleted was to be started by mistake. */
export async function planStarts(
  tx: Tx,
  companyId: number,
  moves: Moved[],
  flowsIn: (tx: Tx, companyId: number) => Promise<CompanyFlows>,
): Promise<StartPlan> {
  const plan: StartPlan = { starting: [], refused: new Map() };
  const starts = effectsOf(moves, 'start');
  if (starts.length === 0) return plan;
  const flows = await flowsIn(tx, companyId);
  const idle: Caused<'start'>[] = [];
  for (const start of starts) {
    const flow = flows.byId.get(start.effect.flowId);
    const { contactId, event } = start.moved.outcome.run;
    if (!flow?.active) idle.push(start);
    else plan.starting.push({ start, entrant: { flow, contactId, event, hops: start.effect.hops } });
  }
  if (idle.length === 0) return plan;
  const existing = await flowStatuses(tx, companyId, [...new Set(idle.map(({ effect }) => effect.flowId))]);
  for (const start of idle) {
    const { flowId } = start.effect;
    if (existing.has(flowId)) noteSkipped(start.moved.outcome, start.effect.stepId, notActive(flowId));
    else plan.refused.set(start.moved.move.id, new Error(noFlow(flowId)));
  }
  return plan;
}

/** Says of the starts that led to no run that re-entry did not allow it. */
export function noteKeptOut(starting: Starting[], started: StartedRun[]): void {
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
      const reason = `Flow ${entrant.flow.flowId} did not let the contact enter again`;
      noteSkipped(start.moved.outcome, start.effect.stepId, reason);
    }
  }
}
