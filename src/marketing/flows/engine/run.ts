import type { Correlation } from '../../../lib/tracing/correlation.ts';
import type { QuietHours } from '../../../recipients/quiet-hours.ts';
import type { Facts } from '../../rules/facts.ts';
import type { StepType } from '../definition/steps.ts';

/** The types of runs: their position, signals, effects and outcomes. No behaviour. */

/** The event that started a run. */
export type RunEvent = {
  event_id: number | null;
  event_type: string;
  /** ISO 8601. */
  occurred_at: string;
  data: Record<string, unknown>;
};

/** The stored state of a run, apart from its position. */
export interface RunState {
  /** Number of visits by step. */
  visits: Record<string, number>;
  /** Responses of webhooks by their save_as. */
  vars: Record<string, unknown>;
  /** The length of the chain of flows that led to this run; limited, since flows can start each other. */
  hops: number;
  /** The reason for the decided branch, for the log. */
  why?: string;
}

/** A run as the engine sees it. */
export interface Run {
  runId: number;
  flowId: number;
  version: number;
  contactId: number;
  enteredAt: Date;
  event: RunEvent | null;
  correlation: Correlation | null;
  /** null: before the first step. */
  stepId: string | null;
  stepEnteredAt: Date | null;
  /** The branch by which it leaves the step when due; null if the step has not run yet. */
  outcome: string | null;
  /** The event type that the step waits for. */
  awaits: string | null;
  dueAt: Date;
  state: RunState;
}

/** The contact as seen by rules. */
export interface RunContact {
  contact_id: number;
  tags: string[];
  properties: Record<string, unknown>;
  /** Of its properties or of its address; null or absent: unknown. */
  time_zone?: string | null;
  lists: { list_id: number; status: string }[];
}

/** Something that happens outside of a run and concerns it. Stored as JSON in flow_signals. */
export type Signal =
  | { kind: 'event'; event_id: number; event_type: string; data: Record<string, unknown>; received_at: string }
  | {
      kind: 'webhook';
      step_id: string;
      visit: number;
      ok: boolean;
      save_as: string | null;
      answer: unknown;
      /** The error of a failed call. */
      why?: string;
    };

/** What a step causes outside of the run. `visit` counts the visits of the run to the step, from 1. */
export type Effect =
  | { kind: 'message'; stepId: string; visit: number; channel: 'email' | 'sms'; transactional: boolean }
  | { kind: 'contact'; change: ContactChange }
  | { kind: 'membership'; listId: number; action: 'add' | 'remove' }
  | { kind: 'webhook'; stepId: string; visit: number }
  | { kind: 'event'; stepId: string; visit: number; eventType: string; data: Record<string, unknown> }
  | { kind: 'start'; stepId: string; flowId: number; hops: number }
  | { kind: 'notification'; stepId: string; message: string };

export interface ContactChange {
  set?: { first_name?: string; last_name?: string; properties?: Record<string, unknown> };
  addTags?: string[];
  removeTags?: string[];
}

/** One line of a run's log. `result` is the branch taken, or the end of the run. */
export interface LogEntry {
  step_id: string | null;
  type: StepType | null;
  result: string;
  detail?: string;
}

export const STEP_METRICS = ['entered', 'waiting', 'passed', 'failed', 'exited', 'sent', 'converted'] as const;
type StepMetric = (typeof STEP_METRICS)[number];
export const FLOW_METRICS = [
  'entered',
  'active',
  'completed',
  'exited',
  'failed',
  'converted',
  'missed',
  'sent',
] as const;
export type FlowMetric = (typeof FLOW_METRICS)[number];

/** Counts runs that left a step by a branch; only for steps that have several. */
export type BranchMetric = `passed:${string}`;

/** A change of a counter of a step; with stepId '', of the flow. */
export interface Count {
  stepId: string;
  metric: StepMetric | FlowMetric | BranchMetric;
  n: number;
}

export type RunStatus = 'active' | 'completed' | 'exited' | 'failed';

/** The result of advancing a run, or of applying signals to it. */
export interface Outcome {
  status: RunStatus;
  reason: string | null;
  run: Run;
  /** The contact after the run's own changes. */
  contact: RunContact;
  effects: Effect[];
  log: LogEntry[];
  counts: Count[];
}

/** What steps see in addition to their run. */
export interface StepContext {
  contact: RunContact;
  now: Date;
  /** The company's time zone. */
  zone: string;
  quietHours: QuietHours | null;
  facts?: Facts;
}

/** The decision of a step: leave by a branch, wait until a moment (and leave by `outcome` then), or end the run. */
export type Decision =
  | { kind: 'leave'; branch: string; effects?: Effect[]; detail?: string; reload?: true }
  | { kind: 'rest'; until: Date; outcome: string | null; awaits?: string; effects?: Effect[] }
  | { kind: 'exit'; reason: string };

/** Identifies the message that a step of a run queues on its nth visit. */
export const messageKey = (runId: number, stepId: string, visit: number): string => `f:${runId}:${stepId}:${visit}`;

/** After these results the run is still at the step, or is retried at it. */
const SAME_VISIT = new Set(['waiting', 'failed']);

/** The keys of the messages that the lines of a log tell of. */
export function messageKeys<Line extends LogEntry>(runId: number, lines: Line[]): Map<Line, string> {
  const visits = new Map<string, number>();
  const keys = new Map<Line, string>();
  for (const line of lines) {
    const { step_id: stepId, type, result } = line;
    if ((type !== 'send_email' && type !== 'send_sms') || stepId === null || SAME_VISIT.has(result)) continue;
    const visit = (visits.get(stepId) ?? 0) + 1;
    visits.set(stepId, visit);
    if (result === 'default') keys.set(line, messageKey(runId, stepId, visit));
  }
  return keys;
}
