import type { LogEntry } from '../engine/run.ts';

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
