import { joinStatus, type MembershipStatus } from '../../lists/membership.ts';
import type { Facts } from '../../rules/facts.ts';
import type { Graph } from '../definition/graph.ts';
import { advance, endRun, type Moment } from '../engine/engine.ts';
import type { Effect, Outcome, Run, RunContact, RunEvent } from '../engine/run.ts';
import { type ExplainedPath, explainBranch } from '../engine/steps.ts';
import { logSkipped, noFlow, noList, notActive } from '../execution/skipping.ts';
import type { FlowStatus } from '../status.ts';

/** A simulated run: nothing is written, and waits pass at once. */
export interface Trial {
  flowId: number;
  contact: RunContact;
  event: RunEvent | null;
  /** Events that happen later, at their moments. */
  events: { event_type: string; data: Record<string, unknown>; at: Date }[];
  /** The branch by which each webhook step is left; `default` if absent. */
  webhooks: Record<string, 'default' | 'failed'>;
  zone: string;
  /** The existing lists that its steps refer to. */
  lists: ReadonlyMap<number, { double_opt_in: boolean }>;
  flows: ReadonlyMap<number, FlowStatus>;
  /** The contact's history before the simulated run. */
  facts?: Facts;
}

/** Advances by one step, and simulates how lists and other flows would react to its effect. */
export function simulateStep(graph: Graph, run: Run, contact: RunContact, trial: Trial, now: Date): Outcome {
  const { lists, flows } = trial;
  const moment = momentOf(trial, now);
  const outcome = advance(graph, run, contact, moment, 1);
  const [effect] = outcome.effects;
  if (effect?.kind === 'membership') {
    const list = lists.get(effect.listId);
    if (list !== undefined || effect.action === 'remove') {
      return { ...outcome, contact: withMembership(outcome.contact, effect, list?.double_opt_in ?? false) };
    }
    return endRun(graph, run, 'failed', noList(effect.listId), moment);
  }
  if (effect?.kind === 'start') {
    const status = flows.get(effect.flowId);
    if (status === undefined) return endRun(graph, run, 'failed', noFlow(effect.flowId), moment);
    if (status !== 'active') {
      logSkipped(outcome, effect.stepId, notActive(effect.flowId));
      return { ...outcome, effects: [] };
    }
  }
  return outcome;
}

/** The values by which the run's step is about to decide; null if it is not a branch. */
export function explainStep(
  graph: Graph,
  run: Run,
  contact: RunContact,
  trial: Trial,
  now: Date,
): ExplainedPath[] | null {
  const step = run.stepId === null || run.outcome !== null ? undefined : graph.steps.get(run.stepId);
  if (step?.type !== 'branch') return null;
  return explainBranch(step.config, run, { contact, quietHours: graph.quietHours, ...momentOf(trial, now) });
}

export function momentOf({ zone, facts }: Trial, now: Date): Moment {
  return facts === undefined ? { now, zone } : { now, zone, facts };
}

function withMembership(
  contact: RunContact,
  { listId, action }: Effect & { kind: 'membership' },
  doubleOptIn: boolean,
): RunContact {
  const current = contact.lists.find(({ list_id }) => list_id === listId);
  const others = contact.lists.filter((membership) => membership !== current);
  if (action === 'remove') return { ...contact, lists: others };
  const status = joinStatus(current?.status as MembershipStatus | undefined, doubleOptIn);
  return { ...contact, lists: [...others, { list_id: listId, status }] };
}
