import { expect } from 'vitest';
import { checkGraph } from '../definition/check.ts';
import type { Definition } from '../definition/definition.ts';
import { compileGraph, type Graph } from '../definition/graph.ts';
import { advance, applySignals } from '../engine/engine.ts';
import type { Count, Effect, LogEntry, Outcome, Run, RunContact, Signal } from '../engine/run.ts';

/** Runs for tests of the engine, in memory. */

export const START = new Date('2026-03-15T12:00:00Z');
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export function newRun(more: Partial<Run> = {}): Run {
  return {
    runId: 1,
    flowId: 1,
    version: 1,
    contactId: 7,
    enteredAt: START,
    event: { event_id: 100, event_type: 'cart_abandoned', occurred_at: START.toISOString(), data: { cart_total: 90 } },
    correlation: null,
    stepId: null,
    stepEnteredAt: null,
    outcome: null,
    awaits: null,
    dueAt: START,
    state: { visits: {}, vars: {}, hops: 0 },
    ...more,
  };
}

export function newContact(more: Partial<RunContact> = {}): RunContact {
  return { contact_id: 7, tags: [], properties: {}, lists: [], ...more };
}

export function eventSignal(event_type: string, at: Date, event_id = 200): Signal {
  return { kind: 'event', event_id, event_type, data: {}, received_at: at.toISOString() };
}

/** A run as the worker advances it, with its results so far and a clock. With `stride` 1 each `go` is one step. */
export class Journey {
  readonly graph: Graph;
  run: Run;
  contact: RunContact;
  now = START;
  status: Outcome['status'] = 'active';
  reason: string | null = null;
  readonly effects: Effect[] = [];
  readonly log: LogEntry[] = [];
  readonly counts: Count[] = [];

  private readonly stride: number | undefined;

  constructor(definition: Definition, run: Partial<Run> = {}, contact: Partial<RunContact> = {}, stride?: number) {
    this.stride = stride;
    expect(checkGraph(definition)).toEqual([]);
    this.graph = compileGraph(definition);
    this.run = newRun(run);
    this.contact = newContact(contact);
  }

  /** Does the work of one transaction. */
  go(): Outcome {
    return this.take(advance(this.graph, this.run, this.contact, { now: this.now, zone: 'UTC' }, this.stride));
  }

  /** Executes everything that is due now. */
  step(): this {
    while (this.status === 'active' && this.run.dueAt <= this.now) {
      this.go();
    }
    return this;
  }

  signal(...signals: Signal[]): this {
    this.take(applySignals(this.graph, this.run, this.contact, signals, { now: this.now, zone: 'UTC' }));
    return this;
  }

  /** Resumes at the step that failed. */
  retry(state: Partial<Run['state']> = {}): this {
    const { stepId } = this.run;
    this.run = { ...this.run, state: { ...this.run.state, ...state }, dueAt: this.now };
    this.status = 'active';
    this.reason = null;
    for (const at of ['', stepId!]) {
      this.counts.push({ stepId: at, metric: 'failed', n: -1 });
      this.counts.push({ stepId: at, metric: at === '' ? 'active' : 'waiting', n: 1 });
    }
    return this;
  }

  wait(ms: number): this {
    this.now = new Date(this.now.getTime() + ms);
    return this.step();
  }

  private take(outcome: Outcome): Outcome {
    const { status, reason, run, contact, effects, log, counts } = outcome;
    Object.assign(this, { status, reason, run, contact });
    this.effects.push(...effects);
    this.log.push(...log);
    this.counts.push(...counts);
    return outcome;
  }

  get path(): string[] {
    return this.log.map(({ step_id, result }) => `${step_id}:${result}`);
  }

  total(stepId: string, metric: Count['metric']): number {
    return this.counts.filter((c) => c.stepId === stepId && c.metric === metric).reduce((sum, c) => sum + c.n, 0);
  }
}
