import { expect, test } from 'vitest';
import { AppError } from '../../errors.ts';
import { type Attempt, requireAttempt } from './attempts.ts';

const now = new Date('2026-03-15T12:00:00Z');
const attempt = (status: Attempt['status'], secondsAgo = 0): Attempt => {
  return { id: 3, provider: 'stripe', status, method_id: 1, updated_at: new Date(now.getTime() - secondsAgo * 1_000) };
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
