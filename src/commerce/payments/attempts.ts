import { AppError } from '../../errors.ts';
import { isOpen, type PaymentRow } from './payment.ts';

/** Attempts to pay a cart or an order by services. */
export const MOST_ATTEMPTS = 5;
/** Declines in a row after which the buyer waits. */
const DECLINES = 3;
const FIRST_PAUSE_MS = 60_000;

export type Attempt = Pick<PaymentRow, 'id' | 'provider' | 'status' | 'method_id' | 'updated_at'>;

/**
 * Limits how many cards can be tried out: five attempts, and after three declines in a row a pause that doubles from one minute. `payments`:
 * the last ones of the cart or order, oldest first. Throws payment_in_progress if one has not ended, payment_method_unavailable, rate_limited.
 */
export function requireAttempt(payments: readonly Attempt[], methodId: number, now: Date): void {
  const open = payments.find((one) => one.provider !== 'manual' && isOpen(one));
  if (open !== undefined) {
    throw new AppError('payment_in_progress', 'A payment by a service has not ended', { payment_id: open.id });
  }
  const attempts = payments.filter(({ provider }) => provider !== 'manual');
  if (attempts.length >= MOST_ATTEMPTS) {
    const message = `It was tried ${attempts.length} times to pay this by a payment service`;
    throw new AppError('payment_method_unavailable', message, { method_id: methodId });
  }
  const declines = attempts.length - 1 - attempts.findLastIndex(({ status }) => status !== 'failed');
  if (declines < DECLINES) return;
  const until = attempts.at(-1)!.updated_at.getTime() + FIRST_PAUSE_MS * 2 ** (declines - DECLINES);
  const wait = Math.ceil((until - now.getTime()) / 1_000);
  if (wait > 0) throw new AppError('rate_limited', 'Too many payments were declined', { retry_after: wait });
}
