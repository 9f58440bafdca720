import { formatTimestamp } from '../../../lib/timestamps.ts';
import type { MembershipStatus } from '../../../recipients/consent.ts';
import { joinStatus } from '../../lists/membership.ts';
import type { Facts } from '../../rules/facts.ts';
import type { Graph } from '../definition/graph.ts';
import { advance, applySignals, endRun, type Moment } from '../engine/engine.ts';
import type { Effect, LogEntry, Outcome, Run, RunContact, RunEvent, Signal } from '../engine/run.ts';
import { type ExplainedPath, explainBranch } from '../engine/steps.ts';
import { logSkipped, noFlow, noList, notActive } from '../execution/skipping.ts';
import type { FlowStatus } from '../status.ts';

interface TrialPath {
  path: (Omit<LogEntry, 'detail'> & { at: string; detail: string | null })[];
  effects: { at: string; kind: string; detail: Record<string, unknown> }[];
  decisions: TrialDecision[];
  status: Outcome['status'];
  reason: string | null;
}

/** The branch that was taken, and the paths that were evaluated. `step_id` is null for the trigger. */
export interface TrialDecision {
  at: string;
  step_id: string | null;
  branch: string;
  paths: ExplainedPath[];
}

/** The detail with snake-case keys, as in the API. */
function shown(detail: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(detail).map(([key, value]) => [key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
  );
}

/** A limit that only a bug of the engine can reach: every checked graph ends long before. */
const MAX_TURNS = 100_000;

export function walk(graph: Graph, trial: Trial, start: Date): TrialPath {
  const found: TrialPath = { path: [], effects: [], decisions: [], status: 'active', reason: null };
  const coming = [...trial.events].sort((a, b) => a.at.getTime() - b.at.getTime());
  let run = startingRun(trial, start);
  let contact = trial.contact;
  let now = start;

  function take(outcome: Outcome): void {
    const at = formatTimestamp(now);
    for (const { detail = null, ...entry } of outcome.log) found.path.push({ at, ...entry, detail });
    for (const { kind, ...detail } of outcome.effects) found.effects.push({ at, kind, detail: shown(detail) });
    Object.assign(found, { status: outcome.status, reason: outcome.reason });
    run = outcome.run;
    contact = outcome.contact;
  }

  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const paths = explainStep(graph, run, contact, trial, now);
    const outcome = simulateStep(graph, run, contact, trial, now);
    const branch = outcome.log[0]?.result;
    if (paths !== null && branch !== undefined) {
      found.decisions.push({ at: formatTimestamp(now), step_id: run.stepId, branch, paths });
    }
    take(outcome);
    if (found.status !== 'active') return found;
    if (run.dueAt <= now) continue;
    const signal = responseFor(graph, run, trial) ?? nextEvent(coming, run.dueAt, turn);
    if (signal === null) {
      now = run.dueAt;
      continue;
    }
    if (signal.kind === 'event') now = new Date(signal.received_at);
    take(applySignals(graph, run, contact, [signal], momentOf(trial, now)));
    if (found.status !== 'active') return found;
  }
  throw new Error('The trial does not end');
}

function startingRun({ flowId, contact, event }: Trial, start: Date): Run {
  return {
    runId: 0,
    flowId,
    version: 0,
    contactId: contact.contact_id,
    enteredAt: start,
    event,
    correlation: null,
    stepId: null,
    stepEnteredAt: null,
    outcome: null,
    awaits: null,
    dueAt: start,
    state: { visits: {}, vars: {}, hops: 0 },
  };
}

/** The simulated response of the run's current webhook step. */
function responseFor(graph: Graph, { stepId, outcome, state }: Run, { webhooks }: Trial): Signal | null {
  const step = stepId === null ? undefined : graph.steps.get(stepId);
  if (step?.type !== 'webhook' || outcome !== 'failed') return null;
  const ok = webhooks[step.step_id] !== 'failed';
  const save_as = step.config.save_as ?? null;
  return { kind: 'webhook', step_id: step.step_id, visit: state.visits[step.step_id]!, ok, save_as, answer: null };
}

function nextEvent(coming: Trial['events'], by: Date, id: number): Signal | null {
  const [next] = coming;
  if (next === undefined || next.at > by) return null;
  coming.shift();
  const { event_type, data, at } = next;
  // High ids, so that each is later than the event that started the run.
  return {
    kind: 'event',
    event_id: Number.MAX_SAFE_INTEGER - 1_000_000 + id,
    event_type,
    data,
    received_at: at.toISOString(),
  };
}

/** A simulated run: nothing is written, and waits pass at once. */
interface Trial {
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
function simulateStep(graph: Graph, run: Run, contact: RunContact, trial: Trial, now: Date): Outcome {
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
function explainStep(graph: Graph, run: Run, contact: RunContact, trial: Trial, now: Date): ExplainedPath[] | null {
  const step = run.stepId === null || run.outcome !== null ? undefined : graph.steps.get(run.stepId);
  if (step?.type !== 'branch') return null;
  return explainBranch(step.config, run, { contact, quietHours: graph.quietHours, ...momentOf(trial, now) });
}

function momentOf({ zone, facts }: Trial, now: Date): Moment {
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
