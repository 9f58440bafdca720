import { expect, test } from 'vitest';
import { retry } from './retry.ts';

/** Fails with the errors in turn, then succeeds. */
function failing(errors: Error[], before: (call: number) => void = () => {}) {
  const calls = { count: 0 };
  const work = async (): Promise<void> => {
    calls.count += 1;
    before(calls.count);
    const error = errors[calls.count - 1];
    if (error !== undefined) throw error;
  };
  return { calls, work };
}

test('what fails is tried again until it succeeds, whatever kind of error it was', async () => {
  const { calls, work } = failing([new Error('lost'), new TypeError('socket is null')]);
  await retry(work, new AbortController().signal);
  expect(calls.count).toBe(3);
});

test('after giving up the last error is thrown, and nothing is tried again', async () => {
  const giveUp = new AbortController();
  const { calls, work } = failing([new Error('first'), new Error('second'), new Error('third')], (call) => {
    if (call === 2) giveUp.abort();
  });
  await expect(retry(work, giveUp.signal)).rejects.toThrow('second');
  expect(calls.count).toBe(2);
});

test('what succeeds is not failed by giving up meanwhile', async () => {
  const giveUp = new AbortController();
  const { calls, work } = failing([], () => giveUp.abort());
  await retry(work, giveUp.signal);
  expect(calls.count).toBe(1);
});
