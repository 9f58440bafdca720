import type { Graph } from '../definition/graph.ts';
import { advance, endRun, hear, type Moment } from '../engine/engine.ts';
import type { Effect, Outcome, Run, RunContact, Signal } from '../engine/run.ts';
import { webhookPatience } from '../engine/steps.ts';
import { listeningOf } from './listening.ts';
import type { RunMove, RunRow } from './run-queries.ts';
import type { Listening } from './signal-queries.ts';

/** What a claimed run comes to in one transaction: arithmetic between its reading and its writing (see stepping.ts). */

/** As far as runs are concerned: whether they go on, stand still or end. */
export type FlowState = 'active' | 'paused' | 'ended';

export interface Claimed {
  row: RunRow;
  graph: Graph;
  flow: FlowState;
  /** null: the contact is gone. */
  contact: RunContact | null;
  signals: Signal[];
  /** Whether the webhook for which it has waited its time is still to be called: its flow was paused, or no worker ran. */
  callDue: boolean;
}

/** What became of a claimed run; null where nothing did. */
export interface Moved {
  outcome: Outcome;
  move: RunMove;
  /** What the run begins to listen for. */
  listening: Listening[];
}

export function runOf(row: RunRow): Run {
  return {
    runId: row.id,
    flowId: row.flow_id,
    version: row.version,
    contactId: row.contact_id,
    enteredAt: row.entered_at,
    event: row.event,
    stepId: row.step_id,
    stepEnteredAt: row.step_entered_at,
    outcome: row.outcome,
    awaits: row.awaits,
    dueAt: row.due_at,
    state: row.state,
  };
}

/** Tells the run its signals, then does what is due, `steps` steps at most, unless its flow is paused. */
export function moveRun(claimed: Claimed, moment: Moment, steps?: number): Moved | null {
  const { row, graph, flow, callDue } = claimed;
  // Its last signals came too late.
  if (row.status !== 'active' && row.status !== 'paused') return null;
  let outcome = told(claimed, moment);
  const due = outcome.status === 'active' && outcome.run.dueAt <= moment.now;
  if (due && flow === 'active') {
    if (callDue && outcome.run.stepId === row.step_id) {
      const run = { ...outcome.run, dueAt: webhookPatience(moment.now) };
      return moved(row, graph, { ...outcome, run }, moment);
    }
    outcome = joined(outcome, advance(graph, outcome.run, outcome.contact, moment, steps));
    return moved(row, graph, outcome, moment);
  }
  if (due && row.status !== 'paused') return moved(row, graph, outcome, moment, 'paused');
  return isSame(runOf(row), outcome) && row.status === statusOf(row, outcome)
    ? null
    : moved(row, graph, outcome, moment, statusOf(row, outcome));
}

/**
 * A run whose effects were refused fails at the step where it stands. It hears its signals first, so that it goes on from
 * what it knows when it is tried again; they may as well have ended it.
 */
export function failRun(claimed: Claimed, reason: string, moment: Moment): Moved {
  const { row, graph } = claimed;
  const heard = told(claimed, moment);
  const outcome = heard.status === 'active' ? joined(heard, endRun(graph, heard.run, 'failed', reason, moment)) : heard;
  return moved(row, graph, outcome, moment);
}

/** The run once it has heard its signals; ended, where its flow has ended or its contact is gone. */
function told({ row, graph, flow, contact, signals }: Claimed, moment: Moment): Outcome {
  const run = runOf(row);
  if (flow === 'ended') return endRun(graph, run, 'exited', 'archived', moment);
  if (contact === null) return endRun(graph, run, 'exited', 'contact_gone', moment);
  return signals.length > 0 ? hear(graph, run, contact, signals, moment) : unmoved(run, contact);
}

function unmoved(run: Run, contact: RunContact): Outcome {
  return { status: 'active', reason: null, run, contact, effects: [], log: [], counts: [] };
}

function joined(first: Outcome, second: Outcome): Outcome {
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

/** A frozen run that heard something stays frozen: it goes on when its flow does. */
function statusOf(row: RunRow, outcome: Outcome): string {
  return outcome.status === 'active' ? row.status : outcome.status;
}

function moved(row: RunRow, graph: Graph, outcome: Outcome, { now }: Moment, status: string = outcome.status): Moved {
  const { run, reason, log } = outcome;
  const move: RunMove = {
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
  return { outcome, move, listening: outcome.status === 'active' ? listeningOf(row, graph, run, now) : [] };
}

/** An effect with the run that it belongs to. */
export interface Caused<K extends Effect['kind']> {
  effect: Effect & { kind: K };
  moved: Moved;
}

export function effectsOf<K extends Effect['kind']>(moves: Moved[], kind: K): Caused<K>[] {
  const found: Caused<K>[] = [];
  for (const moved of moves) {
    for (const effect of moved.outcome.effects) {
      if (effect.kind === kind) found.push({ effect: effect as Effect & { kind: K }, moved });
    }
  }
  return found;
}
