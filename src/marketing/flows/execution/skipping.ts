import type { LogEntry, Outcome } from '../engine/run.ts';

/** What a run's log says where a step could not cause what it was to cause. */

export const notActive = (flowId: number): string => `Flow ${flowId} is not active`;
export const noList = (listId: number): string => `There is no list ${listId}`;
export const noFlow = (flowId: number): string => `There is no flow ${flowId}`;

/** Says in the log of a step that the run has just passed that it caused nothing, and why. */
export function noteSkipped({ log }: Outcome, stepId: string, detail: string): void {
  const entry = log.findLast(({ step_id, result }) => step_id === stepId && result === 'default');
  if (entry !== undefined) Object.assign(entry, skipped(detail));
}

/** How a log shows a step that was passed without what it was to cause. */
export function skipped(detail: string): Pick<LogEntry, 'result' | 'detail'> {
  return { result: 'skipped', detail };
}
