import type { ErrorCode } from '../../../errors.ts';
import { nextAfter, type Schedule, startOfDayIn } from '../schedule.ts';

/** What a renewal's plan depends on, in addition to the calendar. */
export interface DueSubscription {
  schedule: Schedule;
  /** The date that is due, YYYY-MM-DD. */
  cycleDate: string;
  /** Later dates that were ordered or skipped already: after a change of the next date, the schedule may reach them again. */
  over: ReadonlySet<string>;
  /** Failed attempts at this date so far. */
  attempts: number;
}

/** Retries, one a day, after a first attempt that failed for lack of stock. */
export const RETRIES = 3;

/** The result of an attempt at a subscription's due date. */
export type RenewalPlan =
  | { kind: 'ordered'; nextDate: string; dueAt: Date }
  | { kind: 'retry'; attempts: number; dueAt: Date }
  | { kind: 'skipped'; reason: string; nextDate: string; dueAt: Date }
  | { kind: 'paused'; reason: string };

/** Returns the first scheduled date after both the due date and today: dates missed during an outage are not made up for. */
export function dateAfterCycle(
  { schedule, cycleDate, over }: Omit<DueSubscription, 'attempts'>,
  today: string,
): string {
  return nextAfter(schedule, cycleDate > today ? cycleDate : today, over);
}

/**
 * Returns the plan after an attempt; `failure` is null if the order was placed. Lack of stock is retried each day. Other failures would
 * recur, so the subscription pauses with the reason.
 */
export function planRenewal(
  due: DueSubscription,
  failure: { code: ErrorCode; reason: string } | null,
  today: string,
  timeZone: string,
): RenewalPlan {
  const nextDate = dateAfterCycle(due, today);
  const dueAt = startOfDayIn(timeZone, nextDate);
  if (failure === null) return { kind: 'ordered', nextDate, dueAt };
  if (failure.code !== 'insufficient_stock') return { kind: 'paused', reason: failure.reason };
  if (due.attempts >= RETRIES) return { kind: 'skipped', reason: failure.reason, nextDate, dueAt };
  const tomorrow = nextAfter({ anchor: today, unit: 'day', interval: 1 }, today);
  return { kind: 'retry', attempts: due.attempts + 1, dueAt: startOfDayIn(timeZone, tomorrow) };
}
