import type { LogEntry, Outcome } from '../engine/run.ts';

/** Log entries of steps whose effect was not possible. */

export const notActive = (flowId: number): string => `Flow ${flowId} is not active`;
export const noList = (listId: number): string => `There is no list ${listId}`;
export const noFlow = (flowId: number): string => `There is no flow ${flowId}`;

/** Changes the log entry of a step that the run has just passed to skipped. */
export function logSkipped({ log }: Outcome, stepId: string, detail: string): void {
  const entry = log.findLast(({ step_id, result }) => step_id === stepId && result === 'default');
  if (entry !== undefined) Object.assign(entry, skipped(detail));
}

/** The log fields of a step that was passed without its effect. */
export function skipped(detail: string): Pick<LogEntry, 'result' | 'detail'> {
  return { result: 'skipped', detail };
}
