import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isKilled, JobItems } from './job-items.ts';

test('each item has its own result, whatever ends the jobs that it shares with others', () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
      (deadly, sizes) => {
        const items = new JobItems([...deadly.keys()]);
        const results = new Map<number, unknown>();
        for (let job = 0; items.next.length > 0; job += 1) {
          const done = items.next.slice(0, sizes[job % sizes.length]);
          const settled = done.some((n) => deadly[n])
            ? items.settle<number>({ ended: 'killed', because: 'time' })
            : items.settle({ ended: 'done', value: done.map((n) => 10 * n) });
          for (const { item, result } of settled) {
            expect(results.has(item)).toBe(false);
            results.set(item, isKilled(result) ? result.killed : result);
          }
        }
        expect([...results.entries()]).toEqual(deadly.map((dies, n) => [n, dies ? 'time' : 10 * n]));
      },
    ),
  );
});

test('jobs left when the threads are closed are returned as closed', () => {
  const items = new JobItems([1, 2, 3]);
  const settled = items.settle({ ended: 'killed', because: 'closed' });
  expect(settled).toEqual([1, 2, 3].map((item) => ({ item, result: { killed: 'closed' } })));
  expect(items.next).toEqual([]);
});
