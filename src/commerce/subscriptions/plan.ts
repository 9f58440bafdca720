import type { ErrorCode } from '../../errors.ts';
import { nextAfter, type Schedule, startOfDayIn } from './schedule.ts';

/** What a renewal's plan depends on, beside the calendar. */
export interface DueSubscription {
  schedule: Schedule;
  /** The date that is due, YYYY-MM-DD. */
  cycleDate: string;
  /** Later dates that are over already: skipped ahead, which a date that was moved nearer may come upon again. */
  over: ReadonlySet<string>;
  /** Failed attempts at this date so far. */
  attempts: number;
}

/** Retries, one a day, after the first attempt failed for want of stock. */
export const RETRIES = 3;

/** What becomes of a subscription after an attempt at its due date. */
export type RenewalPlan =
  | { kind: 'ordered'; nextDate: string; dueAt: Date }
  | { kind: 'retry'; attempts: number; dueAt: Date }
  | { kind: 'skipped'; reason: string; nextDate: string; dueAt: Date }
  | { kind: 'paused'; reason: string };

/** The first scheduled date that is after both the one that is over and today: after a standstill nothing is caught up on. */
export function dateAfterCycle(
  { schedule, cycleDate, over }: Omit<DueSubscription, 'attempts'>,
  today: string,
): string {
  return nextAfter(schedule, cycleDate > today ? cycleDate : today, over);
}

/**
 * The plan after an attempt: `failure` is why no order was made, null when one was. Not enough stock is tried again each
 * day; anything else will not mend by itself, so the subscription pauses with the reason.
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
