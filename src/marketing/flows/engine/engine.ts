import type { Facts } from '../../rules/facts.ts';
import { MAX_VISITS, TRIGGER } from '../definition/definition.ts';
import type { Graph } from '../definition/graph.ts';
import type { EventMatch } from '../definition/schemas.ts';
import { branchesOf, type Step } from '../definition/steps.ts';
import { isMatch } from './event-match.ts';
import type {
  ContactChange,
  Count,
  Decision,
  Effect,
  LogEntry,
  Outcome,
  Run,
  RunContact,
  RunStatus,
  Signal,
  StepContext,
} from './run.ts';
import { decide } from './steps.ts';

/**
 * The steps of one run through one graph, as pure functions: no database, no clock. `applySignals` applies events and responses to a
 * run and changes only its pending decision; `advance` runs the steps that are due. The counts of every step always
 * satisfy: entered = waiting + passed + failed + exited. For a step with several branches, the counts by branch add up to passed.
 */

/** Maximum steps of one run in one transaction. A longer run continues in the next one, so that it does not delay the others. */
const MAX_STEPS_AT_ONCE = 100;
/** Maximum length of the stored reason for an end, in characters. */
const MAX_REASON = 1_000;

export interface Moment {
  now: Date;
  zone: string;
  /** The known facts of contacts' histories; without them no rule may use histories. */
  facts?: Facts;
}

/**
 * Runs the due steps of a run. A step that throws fails the run at that step; the effects of earlier steps are kept.
 * See docs/design/flows.md.
 */
export function advance(
  graph: Graph,
  run: Run,
  contact: RunContact,
  moment: Moment,
  steps = MAX_STEPS_AT_ONCE,
): Outcome {
  const walk = new Walk(graph, run, contact, moment);
  try {
    walk.go(steps);
  } catch (error) {
    walk.fail(error instanceof Error ? error.message : String(error));
  }
  return walk.outcome();
}

/**
 * Applies signals to a run, in their order. An event may end it (exit_on, goal), move it to a goal step ahead, or be the
 * one its step waits for; a webhook result decides the branch of a webhook step. The run is then due at once but runs no
 * step yet, so that paused runs accept signals, too. Signals that do not concern the run have no effect.
 */
export function applySignals(graph: Graph, run: Run, contact: RunContact, signals: Signal[], moment: Moment): Outcome {
  const walk = new Walk(graph, run, contact, moment);
  for (const signal of signals) {
    if (walk.ended) break;
    try {
      if (signal.kind === 'event') walk.receiveEvent(signal);
      else walk.receiveResponse(signal);
    } catch (error) {
      walk.fail(error instanceof Error ? error.message : String(error));
    }
  }
  return walk.outcome();
}

/** Ends a run for a reason outside of its steps: archived flow, deleted contact, rejected effects. */
export function endRun(graph: Graph, run: Run, status: 'exited' | 'failed', reason: string, moment: Moment): Outcome {
  const walk = new Walk(graph, run, NO_CONTACT, moment);
  walk.end(status, reason.slice(0, MAX_REASON), status);
  return walk.outcome();
}

/**
 * Takes a live run out of a step that the graph lacks: puts it at the step `to`, where it is due at once, or ends it if `to` is
 * null. `from` is the step in the version that the run comes from. Throws if the graph lacks the destination.
 */
export function relocate(graph: Graph, run: Run, from: Step, to: string | null, now: Date): Outcome {
  const walk = new Walk(graph, run, NO_CONTACT, { now, zone: 'UTC' });
  walk.relocate(from, to);
  return walk.outcome();
}

const NO_CONTACT: RunContact = { contact_id: 0, tags: [], properties: {}, lists: [] };

class Walk {
  private status: RunStatus = 'active';
  private reason: string | null = null;
  private readonly graph: Graph;
  private readonly run: Run;
  private contact: RunContact;
  private readonly moment: Moment;
  private readonly effects: Effect[] = [];
  private readonly log: LogEntry[] = [];
  private readonly counts: Count[] = [];
  /** Whether the run is counted as waiting at its step. */
  private waiting: boolean;

  constructor(graph: Graph, run: Run, contact: RunContact, moment: Moment) {
    this.graph = graph;
    this.run = { ...run, state: { ...run.state, visits: { ...run.state.visits }, vars: { ...run.state.vars } } };
    this.contact = contact;
    this.moment = moment;
    this.waiting = run.stepId !== null;
  }

  get ended(): boolean {
    return this.status !== 'active';
  }

  outcome(): Outcome {
    if (!this.ended && !this.waiting && this.run.stepId !== null) this.count(this.run.stepId, 'waiting', 1);
    const { status, reason, run, contact, effects, log, counts } = this;
    return { status, reason, run, contact, effects, log, counts };
  }

  go(steps: number): void {
    for (let done = 0; done < steps; done++) {
      const { stepId, outcome } = this.run;
      if (stepId === null) this.moveTo(this.graph.next(TRIGGER, 'default'));
      else if (outcome !== null) this.leave(this.stepAt(stepId), outcome);
      else if (!this.act(this.stepAt(stepId))) return;
      if (this.ended) return;
    }
    this.run.dueAt = this.moment.now;
  }

  /** Runs the current step; returns false if the run waits at it. */
  private act(step: Step): boolean {
    const context: StepContext = { contact: this.contact, quietHours: this.graph.quietHours, ...this.moment };
    const decision: Decision = decide(step, this.run, context);
    if (decision.kind === 'exit') {
      this.end('exited', decision.reason, 'exited');
      return false;
    }
    for (const effect of decision.effects ?? []) this.cause(effect);
    if (decision.kind === 'rest') {
      this.run.outcome = decision.outcome;
      this.run.awaits = decision.awaits ?? null;
      this.run.dueAt = decision.until;
      this.note(step, 'waiting', `until ${decision.until.toISOString()}`);
      return false;
    }
    if (decision.reload) {
      this.run.outcome = decision.branch;
      this.run.dueAt = this.moment.now;
      return false;
    }
    this.leave(step, decision.branch, decision.detail);
    return true;
  }

  private leave(step: Step, branch: string, detail = this.run.state.why): void {
    this.stopWaiting();
    this.count(step.step_id, 'passed', 1);
    if (branchesOf(step).length > 1) this.count(step.step_id, `passed:${branch}`, 1);
    this.note(step, branch, detail);
    this.moveTo(this.graph.next(step.step_id, branch));
  }

  private moveTo(stepId: string | null): void {
    delete this.run.state.why;
    this.run.outcome = null;
    this.run.awaits = null;
    if (stepId === null) {
      this.status = 'completed';
      this.countEnd('completed');
      return;
    }
    const { visits } = this.run.state;
    const visit = (visits[stepId] ?? 0) + 1;
    this.run.stepId = stepId;
    this.run.stepEnteredAt = this.moment.now;
    this.count(stepId, 'entered', 1);
    if (visit > MAX_VISITS) this.end('exited', 'max_visits', 'exited');
    else visits[stepId] = visit;
  }

  private cause(effect: Effect): void {
    this.effects.push(effect);
    if (effect.kind === 'contact') this.contact = changed(this.contact, effect.change);
  }

  receiveEvent(signal: Signal & { kind: 'event' }): void {
    const { run, graph } = this;
    if (!isSince(run, signal, run.enteredAt)) return;
    const means = (match: EventMatch): boolean =>
      isMatch(match, signal, run, { contact: this.contact, ...this.moment });
    if (graph.exitOn.some(means)) this.end('exited', `exit_on:${signal.event_type}`, 'exited');
    else if (graph.goal !== null && means(graph.goal)) {
      this.count('', 'converted', 1);
      this.end('completed', 'goal', 'exited');
    } else if (this.isWaitedFor(signal)) this.decideNow('received');
    else {
      const goal = graph.goalsAhead(run.stepId).find((ahead) => this.isNew(ahead) && means(ahead.config));
      if (goal !== undefined) this.reachGoal(goal);
    }
  }

  private isWaitedFor(signal: Signal & { kind: 'event' }): boolean {
    const { run } = this;
    if (run.stepId === null || run.awaits === null) return false;
    const { type, config } = this.stepAt(run.stepId);
    if (type !== 'wait_for_event' || !isMatch(config, signal, run, { contact: this.contact, ...this.moment }))
      return false;
    return config.since === 'flow_entry' || isSince(run, signal, run.stepEnteredAt!);
  }

  receiveResponse(signal: Signal & { kind: 'webhook' }): void {
    const { stepId, state } = this.run;
    if (stepId !== signal.step_id || state.visits[stepId] !== signal.visit) return;
    if (signal.save_as !== null) state.vars[signal.save_as] = signal.answer;
    if (signal.why !== undefined) state.why = signal.why;
    this.decideNow(signal.ok ? 'default' : 'failed');
  }

  private isNew(step: Step): boolean {
    return this.run.state.visits[step.step_id] === undefined;
  }

  /** Takes the run from its current step to the goal step, where it is due at once. */
  private reachGoal(goal: Step): void {
    if (this.run.stepId !== null) {
      const step = this.stepAt(this.run.stepId);
      this.stopWaiting();
      this.count(step.step_id, 'exited', 1);
      this.note(step, 'goal', goal.step_id);
    }
    this.moveTo(goal.step_id);
    this.count(goal.step_id, 'converted', 1);
    this.count('', 'converted', 1);
    this.decideNow('default');
  }

  relocate(from: Step, to: string | null): void {
    if (to !== null) this.stepAt(to);
    this.stopWaiting();
    this.count(from.step_id, 'exited', 1);
    this.note(from, 'moved', to ?? 'end');
    if (to === null) {
      this.run.awaits = null;
      this.status = 'exited';
      this.reason = 'migrated';
      this.countEnd('exited');
      return;
    }
    this.moveTo(to);
    this.run.dueAt = this.moment.now;
  }

  private decideNow(branch: string): void {
    this.run.outcome = branch;
    this.run.awaits = null;
    this.run.dueAt = this.moment.now;
  }

  fail(reason: string): void {
    this.end('failed', reason.slice(0, MAX_REASON), 'failed');
  }

  end(status: Exclude<RunStatus, 'active'>, reason: string, stepMetric: 'exited' | 'failed'): void {
    const { stepId } = this.run;
    this.stopWaiting();
    if (stepId !== null) this.count(stepId, stepMetric, 1);
    this.log.push({
      step_id: stepId,
      type: stepId === null ? null : (this.graph.steps.get(stepId)?.type ?? null),
      result: status,
      detail: reason,
    });
    // A retry repeats the failed step, so its decision and the event type it waits for must stay.
    if (status !== 'failed') {
      this.run.awaits = null;
      delete this.run.state.why;
    }
    this.status = status;
    this.reason = reason;
    this.countEnd(status);
  }

  private countEnd(status: Exclude<RunStatus, 'active'>): void {
    this.count('', 'active', -1);
    this.count('', status, 1);
  }

  private stepAt(stepId: string): Step {
    const step = this.graph.steps.get(stepId);
    if (step === undefined) throw new Error(`The flow has no step ${stepId}`);
    return step;
  }

  private stopWaiting(): void {
    if (this.waiting) this.count(this.run.stepId!, 'waiting', -1);
    this.waiting = false;
  }

  private note(step: Step, result: string, detail?: string): void {
    this.log.push({ step_id: step.step_id, type: step.type, result, ...(detail === undefined ? {} : { detail }) });
  }

  private count(stepId: string, metric: Count['metric'], n: number): void {
    this.counts.push({ stepId, metric, n });
  }
}

/** Whether an event arrived after a moment of the run. Events of one batch share a moment and are ordered by id. */
function isSince(run: Run, signal: Signal & { kind: 'event' }, since: Date): boolean {
  const started = run.event?.event_id ?? 0;
  const received = Date.parse(signal.received_at);
  return received > since.getTime() || (received === since.getTime() && signal.event_id > started);
}

function changed(contact: RunContact, { set = {}, addTags = [], removeTags = [] }: ContactChange): RunContact {
  const { properties, ...fields } = set;
  const tags = new Set(contact.tags);
  for (const tag of addTags) tags.add(tag);
  for (const tag of removeTags) tags.delete(tag);
  const merged = Object.entries({ ...contact.properties, ...properties }).filter(([, value]) => value !== null);
  return { ...contact, ...fields, tags: [...tags], properties: Object.fromEntries(merged) };
}
