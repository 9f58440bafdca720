import { expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { createSendRate, leaseSendingTime } from './send-rate.ts';

const server = testServer();

/** A sender with its own rate limiter, like a separate process. */
function paceOf(provider: string, rate: number) {
  return createSendRate({ rate, lease: (n) => leaseSendingTime(server.app.db, provider, n, rate) });
}

test('a rate spreads messages evenly, however many ask at once', async () => {
  const pace = paceOf('even', 100);
  const began = performance.now();
  const went: number[] = [];
  await Promise.all(Array.from({ length: 21 }, () => pace().then(() => went.push(performance.now() - began))));
  expect(went.at(-1)).toBeGreaterThan(150);
  // The tenth is not released together with the first.
  expect(went[10]).toBeGreaterThan(70);
});

test('several processes share one rate, and a batch counts for its messages', async () => {
  const paces = [paceOf('shared', 200), paceOf('shared', 200), paceOf('shared', 200)];
  const began = performance.now();
  await Promise.all(paces.flatMap((pace) => Array.from({ length: 4 }, () => pace(5))));
  // 60 messages, the last five due after 275 ms; a process on its own would be done after 75. Clocks differ a little.
  expect(performance.now() - began).toBeGreaterThan(200);
});

test('providers have rates of their own', async () => {
  const began = performance.now();
  await paceOf('slow', 1)();
  await paceOf('other', 1)();
  expect(performance.now() - began).toBeLessThan(900);
});

test('a failed lease rejects the callers, and the next callers lease again', async () => {
  let broken = true;
  const pace = createSendRate({
    rate: 1_000,
    lease: async () => {
      if (broken) throw new Error('no database');
      return 0;
    },
  });
  await expect(pace()).rejects.toThrow('no database');
  broken = false;
  await pace();
});

test('without a rate no process waits or queries', async () => {
  const pace = createSendRate({ rate: null, lease: () => Promise.reject(new Error('asked')) });
  for (let i = 0; i < 1_000; i++) await pace();
});
