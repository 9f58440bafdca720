import type { ErrorCode } from '../../../errors.ts';
import { dateAt, nextAfter, type Schedule, startOfDayIn } from '../schedule.ts';

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

/** Why a subscription is paused, skipped or cancelled after its last attempt at a payment. */
export const PAYMENT_FAILED = 'payment_failed';

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

/** When payments that failed are tried again, in days after the due date, and what happens then. */
export interface PaymentRetries {
  retry_days: readonly number[];
  after_retries: 'pause' | 'skip' | 'cancel';
}

/** The result of a payment that failed. `retry`: `on` is the date. */
export type PaymentPlan =
  | { kind: 'retry'; attempts: number; on: string; dueAt: Date }
  | { kind: 'pause' | 'cancel' }
  | { kind: 'skip'; nextDate: string; dueAt: Date };

/** Returns the plan after another payment of a subscription's due date has failed. `attempts`: payments that failed before. */
export function planPayment(
  due: DueSubscription,
  { retry_days: days, after_retries: then }: PaymentRetries,
  today: string,
  timeZone: string,
): PaymentPlan {
  const attempts = due.attempts + 1;
  const wait = days[attempts - 1];
  if (wait !== undefined) {
    const planned = daysAfter(due.cycleDate, wait);
    const on = planned > today ? planned : daysAfter(today, 1);
    return { kind: 'retry', attempts, on, dueAt: startOfDayIn(timeZone, on) };
  }
  if (then !== 'skip') return { kind: then };
  const nextDate = dateAfterCycle(due, today);
  return { kind: 'skip', nextDate, dueAt: startOfDayIn(timeZone, nextDate) };
}

function daysAfter(date: string, days: number): string {
  return dateAt({ anchor: date, unit: 'day', interval: 1 }, days);
}
