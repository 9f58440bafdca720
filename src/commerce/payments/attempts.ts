import { AppError } from '../../errors.ts';
import { isOpen, type PaymentRow } from './payment.ts';

/** Attempts to pay a cart or an order by services. */
export const MOST_ATTEMPTS = 5;
/** Declines in a row after which the buyer waits. */
const DECLINES = 3;
const FIRST_PAUSE_MS = 60_000;

export type Attempt = Pick<PaymentRow, 'id' | 'provider' | 'status' | 'method_id' | 'declines' | 'updated_at'>;

/**
 * Limits how many cards can be tried out: five attempts, and after three declines in a row a pause that doubles from one minute. Each declined
 * card is an attempt, and so is a payment without one. `payments`: the last ones of the cart or order, oldest first. Throws
 * payment_in_progress if one has not ended, payment_method_unavailable, rate_limited.
 */
export function requireAttempt(payments: readonly Attempt[], methodId: number, now: Date): void {
  const open = payments.find((one) => one.provider !== 'manual' && isOpen(one));
  if (open !== undefined) {
    throw new AppError('payment_in_progress', 'A payment by a service has not ended', { payment_id: open.id });
  }
  const { count, declines, last } = attemptsOf(payments);
  if (count >= MOST_ATTEMPTS) {
    const message = `It was tried ${count} times to pay this by a payment service`;
    throw new AppError('payment_method_unavailable', message, { method_id: methodId });
  }
  if (declines < DECLINES) return;
  const until = last!.updated_at.getTime() + FIRST_PAUSE_MS * 2 ** (declines - DECLINES);
  const wait = Math.ceil((until - now.getTime()) / 1_000);
  if (wait > 0) throw new AppError('rate_limited', 'Too many payments were declined', { retry_after: wait });
}

/** Whether cards of the newest payment of a cart or order were declined. */
export function wasDeclined(newest: Pick<Attempt, 'status' | 'declines'> | undefined): boolean {
  return newest !== undefined && declinesOf(newest) > 0;
}

/** Whether a payment whose buyer tries one card after the other must end, so that the limits apply to the next. `payments`: as above. */
export function isUsedUp(payment: Attempt, payments: readonly Attempt[]): boolean {
  const { count, declines } = attemptsOf([...payments.filter(({ id }) => id < payment.id), payment]);
  return payment.declines > 0 && (count >= MOST_ATTEMPTS || declines >= DECLINES);
}

/** The number of attempts at services, and of declines in a row up to now. */
function attemptsOf(payments: readonly Attempt[]): { count: number; declines: number; last: Attempt | undefined } {
  const attempts = payments.filter(({ provider }) => provider !== 'manual');
  const since = attempts.findLastIndex((one) => declinesOf(one) === 0) + 1;
  return {
    count: sum(attempts.map(({ declines }) => Math.max(1, declines))),
    declines: sum(attempts.slice(since).map(declinesOf)),
    last: attempts.at(-1),
  };
}

/** A payment that failed for good was declined, also where its service does not count. */
function declinesOf({ status, declines }: Pick<Attempt, 'status' | 'declines'>): number {
  if (status === 'failed') return Math.max(1, declines);
  return status === 'action_required' || status === 'cancelled' ? declines : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
