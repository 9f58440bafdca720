import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JobOutcome } from '../../lib/threads/pool.ts';
import { inSlices, isKilled } from './slices.ts';

test('each item has its own result, whatever ends the jobs that it shares with others', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
      async (deadly, slices) => {
        let turn = 0;
        const run = async (some: readonly number[]): Promise<JobOutcome<number[]>> => {
          const done = some.slice(0, slices[turn++ % slices.length]);
          return done.some((n) => deadly[n])
            ? { ended: 'killed', because: 'time' }
            : { ended: 'done', value: done.map((n) => 10 * n) };
        };
        const results = new Map<number, unknown>();
        for await (const slice of inSlices([...deadly.keys()], run)) {
          for (const { item, result } of slice) {
            expect(results.has(item)).toBe(false);
            results.set(item, isKilled(result) ? result.killed : result);
          }
        }
        expect([...results.entries()]).toEqual(deadly.map((dies, n) => [n, dies ? 'time' : 10 * n]));
      },
    ),
  );
});

test('what is left when the threads are closed comes back as closed', async () => {
  const seen: unknown[] = [];
  for await (const slice of inSlices([1, 2, 3], async () => ({ ended: 'killed', because: 'closed' }) as const))
    seen.push(...slice);
  expect(seen).toEqual([1, 2, 3].map((item) => ({ item, result: { killed: 'closed' } })));
});
