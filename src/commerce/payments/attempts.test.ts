import { expect, test } from 'vitest';
import { AppError } from '../../errors.ts';
import { type Attempt, isUsedUp, requireAttempt } from './attempts.ts';

const now = new Date('2026-03-15T12:00:00Z');
const attempt = (status: Attempt['status'], secondsAgo = 0, declines = 0): Attempt => {
  const updated_at = new Date(now.getTime() - secondsAgo * 1_000);
  return { id: 3, provider: 'stripe', status, method_id: 1, declines, updated_at };
};
const failed = (n: number, secondsAgo = 0): Attempt[] => Array.from({ length: n }, () => attempt('failed', secondsAgo));
const refusal = (payments: Attempt[]): unknown => {
  try {
    requireAttempt(payments, 7, now);
    return null;
  } catch (error) {
    return error instanceof AppError ? [error.code, error.details] : error;
  }
};

test('two declines do not delay the next attempt, three do for a minute, four for two', () => {
  expect(refusal(failed(2))).toBeNull();
  expect(refusal(failed(3))).toEqual(['rate_limited', { retry_after: 60 }]);
  expect(refusal(failed(3, 59))).toEqual(['rate_limited', { retry_after: 1 }]);
  expect(refusal(failed(3, 60))).toBeNull();
  expect(refusal(failed(4, 60))).toEqual(['rate_limited', { retry_after: 60 }]);
});

test('declines are counted from the last attempt that was none', () => {
  expect(refusal([...failed(2), attempt('cancelled'), ...failed(1)])).toBeNull();
});

test('a payment that has not ended must end first', () => {
  expect(refusal([attempt('authorized')])).toEqual(['payment_in_progress', { payment_id: 3 }]);
});

test('after five attempts no service is called any more; other methods do not count', () => {
  expect(refusal(failed(5, 9_999))).toEqual(['payment_method_unavailable', { method_id: 7 }]);
  const byHand = Array.from({ length: 9 }, (): Attempt => ({ ...attempt('cancelled'), provider: 'manual' }));
  expect(refusal(byHand)).toBeNull();
});

test('cards that were declined within one payment count each, unless one of them paid', () => {
  expect(refusal([attempt('cancelled', 0, 2)])).toBeNull();
  expect(refusal([attempt('cancelled', 10, 3)])).toEqual(['rate_limited', { retry_after: 50 }]);
  expect(refusal([attempt('cancelled', 99, 3), attempt('cancelled', 60, 1)])).toEqual([
    'rate_limited',
    { retry_after: 60 },
  ]);
  expect(refusal([attempt('cancelled', 9_999, 3), attempt('failed', 9_999, 2)])).toEqual([
    'payment_method_unavailable',
    { method_id: 7 },
  ]);
  expect(refusal([attempt('refunded', 0, 4)])).toBeNull();
});

test('a payment ends with its third declined card, with the first after a pause, and with the fifth of all', () => {
  const ends = (declines: number, ...before: Attempt[]): boolean =>
    isUsedUp({ ...attempt('action_required', 0, declines), id: 9 }, before);
  expect([ends(0), ends(2), ends(3)]).toEqual([false, false, true]);
  const tried = attempt('cancelled', 99, 3);
  expect([ends(0, tried), ends(1, tried)]).toEqual([false, true]);
  const kept = Array.from({ length: 4 }, () => attempt('cancelled'));
  expect([ends(0, ...kept), ends(1, ...kept)]).toEqual([false, true]);
});
