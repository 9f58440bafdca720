import type { Graph } from '../definition/graph.ts';
import { advance, applySignals, endRun, type Moment } from '../engine/engine.ts';
import type { Effect, Outcome, Run, RunContact, Signal } from '../engine/run.ts';
import { webhookDeadline } from '../engine/steps.ts';
import type { Caused, FlowState, Listening, RunRow, RunUpdate, Transition } from './queries.ts';

/** The transition of a claimed run in one transaction: pure functions between the reads and the writes (see stepping.ts). */

export interface Claimed {
  row: RunRow;
  graph: Graph;
  flow: FlowState;
  /** null if the contact was deleted. */
  contact: RunContact | null;
  signals: Signal[];
  /** Whether its webhook call is still pending after its deadline: the flow was paused, or no worker ran. */
  callDue: boolean;
}

export function runOf(row: RunRow): Run {
  return {
    runId: row.id,
    flowId: row.flow_id,
    version: row.version,
    contactId: row.contact_id,
    enteredAt: row.entered_at,
    event: row.event,
    correlation: row.correlation,
    stepId: row.step_id,
    stepEnteredAt: row.step_entered_at,
    outcome: row.outcome,
    awaits: row.awaits,
    dueAt: row.due_at,
    state: row.state,
  };
}

/** Applies the signals, then runs at most `steps` due steps unless the flow is paused. Null if nothing changes. */
export function transitionRun(claimed: Claimed, moment: Moment, steps?: number): Transition | null {
  const { row, graph, flow, callDue } = claimed;
  // An ended run ignores its signals.
  if (row.status !== 'active' && row.status !== 'paused') return null;
  let outcome = afterSignals(claimed, moment);
  const due = outcome.status === 'active' && outcome.run.dueAt <= moment.now;
  if (due && flow === 'active') {
    if (callDue && outcome.run.stepId === row.step_id) {
      const run = { ...outcome.run, dueAt: webhookDeadline(moment.now) };
      return transitionOf(row, graph, { ...outcome, run }, moment);
    }
    outcome = combined(outcome, advance(graph, outcome.run, outcome.contact, moment, steps));
    return transitionOf(row, graph, outcome, moment);
  }
  if (due && row.status !== 'paused') return transitionOf(row, graph, outcome, moment, 'paused');
  return isSame(runOf(row), outcome) && row.status === statusOf(row, outcome)
    ? null
    : transitionOf(row, graph, outcome, moment, statusOf(row, outcome));
}

/**
 * Fails a run whose effects were rejected, at its current step. Its signals are applied first, so that a retry starts from
 * there; they may also end the run.
 */
export function failRun(claimed: Claimed, reason: string, moment: Moment): Transition {
  const { row, graph } = claimed;
  const current = afterSignals(claimed, moment);
  const outcome =
    current.status === 'active' ? combined(current, endRun(graph, current.run, 'failed', reason, moment)) : current;
  return transitionOf(row, graph, outcome, moment);
}

/** The run after its signals; it ends if its flow has ended or its contact was deleted. */
function afterSignals({ row, graph, flow, contact, signals }: Claimed, moment: Moment): Outcome {
  const run = runOf(row);
  if (flow === 'ended') return endRun(graph, run, 'exited', 'archived', moment);
  if (contact === null) return endRun(graph, run, 'exited', 'contact_gone', moment);
  return signals.length > 0 ? applySignals(graph, run, contact, signals, moment) : unchanged(run, contact);
}

function unchanged(run: Run, contact: RunContact): Outcome {
  return { status: 'active', reason: null, run, contact, effects: [], log: [], counts: [] };
}

function combined(first: Outcome, second: Outcome): Outcome {
  return {
    ...second,
    effects: [...first.effects, ...second.effects],
    log: [...first.log, ...second.log],
    counts: [...first.counts, ...second.counts],
  };
}

function isSame(before: Run, { status, run }: Outcome): boolean {
  return (
    status === 'active' &&
    run.stepId === before.stepId &&
    run.outcome === before.outcome &&
    run.dueAt.getTime() === before.dueAt.getTime()
  );
}

/** A paused run stays paused after signals, until its flow is resumed. */
function statusOf(row: RunRow, outcome: Outcome): string {
  return outcome.status === 'active' ? row.status : outcome.status;
}

function transitionOf(
  row: RunRow,
  graph: Graph,
  outcome: Outcome,
  { now }: Moment,
  status: string = outcome.status,
): Transition {
  const update = updateOf(row, outcome, status);
  const listening = outcome.status === 'active' ? listeningOf(row, graph, outcome.run, now) : [];
  return { outcome, update, listening };
}

/** The values of a run to write; a run that stays live keeps its status, unless another is given. */
export function updateOf(row: RunRow, outcome: Outcome, status: string = statusOf(row, outcome)): RunUpdate {
  const { run, reason, log } = outcome;
  return {
    id: row.id,
    status,
    reason,
    stepId: run.stepId,
    outcome: run.outcome,
    stepEnteredAt: run.stepEnteredAt,
    dueAt: run.dueAt,
    awaits: run.awaits,
    state: run.state,
    seq: row.seq + 1,
    log,
  };
}

export function effectsOf<K extends Effect['kind']>(transitions: Transition[], kind: K): Caused<K>[] {
  const found: Caused<K>[] = [];
  for (const transition of transitions) {
    for (const effect of transition.outcome.effects) {
      if (effect.kind === kind) found.push({ effect: effect as Effect & { kind: K }, transition });
    }
  }
  return found;
}

/** A run begins to listen for the flow's events in its first transition, and for those of a step when it enters the step. */
function listeningOf(row: RunRow, graph: Graph, run: Run, now: Date): Listening[] {
  const listening = row.seq === 0 ? entryListening(row) : [];
  const step = run.stepId === null ? undefined : graph.steps.get(run.stepId);
  const arrived = step !== undefined && run.state.visits[step.step_id] !== row.state.visits[step.step_id];
  if (arrived && run.awaits !== null && step.type === 'wait_for_event') {
    const base = { runId: row.id, contactId: row.contact_id, eventType: run.awaits };
    const fromEntry = step.config.since === 'flow_entry';
    listening.push(
      fromEntry
        ? { ...base, since: row.entered_at, afterEventId: row.event?.event_id ?? Number.MAX_SAFE_INTEGER }
        : { ...base, since: now, afterEventId: Number.MAX_SAFE_INTEGER },
    );
  }
  return listening;
}

/** What a new run listens for at every step, since its entry. */
export function entryListening(row: RunRow): Listening[] {
  return row.listens.map((eventType) => ({
    runId: row.id,
    contactId: row.contact_id,
    eventType,
    since: row.entered_at,
    afterEventId: row.event?.event_id ?? Number.MAX_SAFE_INTEGER,
  }));
}
