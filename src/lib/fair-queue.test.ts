import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFairQueue, type Lane } from './fair-queue.ts';

/** Takes `n` items, whose cost depends on the company; returns the companies in order. */
function serve(queue: ReturnType<typeof createFairQueue<string>>, n: number, costOf: (company: number) => number) {
  return Array.from({ length: n }, () => {
    const next = queue.take();
    if (next !== undefined) queue.charge(next.companyId, costOf(next.companyId));
    return next?.companyId;
  });
}

const lanes = fc.constantFrom<Lane>('interactive', 'bulk');
const arrivals = fc.array(fc.record({ company: fc.integer({ min: 1, max: 5 }), lane: lanes }), { maxLength: 200 });

describe('the fair queue', () => {
  test('gives everything that was added exactly once, in the order of arrival of each company and lane', () => {
    fc.assert(
      fc.property(arrivals, fc.func(fc.nat(100)), (some, cost) => {
        const queue = createFairQueue<{ company: number; lane: Lane; n: number }>({ maxWaiting: 1_000 });
        some.forEach((one, n) => {
          expect(queue.add({ ...one, n }, one.company, one.lane)).toBe(true);
        });
        const taken: { company: number; lane: Lane; n: number }[] = [];
        for (let next = queue.take(); next !== undefined; next = queue.take()) {
          expect(next.companyId).toBe(next.item.company);
          queue.charge(next.companyId, cost(next.item.n));
          taken.push(next.item);
        }
        expect(taken.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(some.map((_, n) => n));
        for (const group of Map.groupBy(taken, ({ company, lane }) => `${company} ${lane}`).values())
          expect(group.map(({ n }) => n)).toEqual(group.map(({ n }) => n).toSorted((a, b) => a - b));
        expect(queue.size).toBe(0);
      }),
    );
  });

  test('companies that always wait get the same, whatever their items cost', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 2, maxLength: 5 }), (costs) => {
        const queue = createFairQueue<string>({ maxWaiting: 10_000 });
        for (let n = 0; n < 2_000; n += 1) for (const company of costs.keys()) queue.add('', company, 'interactive');
        const used = costs.map(() => 0);
        for (const company of serve(queue, 1_000, (one) => costs[one]!)) used[company!]! += costs[company!]!;
        expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(2 * Math.max(...costs) + 1);
      }),
    );
  });

  test('a newcomer waits for one item of each other company at most, however much these have waiting', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 300 }),
        fc.nat(300),
        (others, before, cost) => {
          const queue = createFairQueue<string>({ maxWaiting: 1_000 });
          for (let n = 0; n < 100; n += 1)
            for (let company = 1; company <= others; company += 1) queue.add('', company, 'interactive');
          serve(queue, before, () => cost);
          queue.add('', 99, 'interactive');
          expect(serve(queue, others + 1, () => cost)).toContain(99);
        },
      ),
    );
  });

  test('a pause earns no credit: who comes back does not overtake others again and again', () => {
    const queue = createFairQueue<string>({ maxWaiting: 1_000 });
    for (let n = 0; n < 200; n += 1) queue.add('', 1, 'interactive');
    queue.add('', 2, 'interactive');
    serve(queue, 100, () => 10);
    for (let n = 0; n < 50; n += 1) queue.add('', 2, 'interactive');
    const served = serve(queue, 20, () => 10);
    expect(served.filter((company) => company === 1).length).toBeGreaterThanOrEqual(9);
  });

  test('interactive items go before bulk items, of whichever company, and bulk items get one place in four', () => {
    const queue = createFairQueue<string>({ maxWaiting: 1_000 });
    for (let n = 0; n < 100; n += 1) queue.add('bulk', 1, 'bulk');
    for (let n = 0; n < 100; n += 1) queue.add('interactive', (n % 3) + 1, 'interactive');
    const taken = Array.from({ length: 40 }, () => queue.take()!.item);
    expect(taken.slice(0, 3)).toEqual(['interactive', 'interactive', 'interactive']);
    expect(taken.filter((item) => item === 'bulk')).toHaveLength(10);
  });

  test('the interactive lane is bounded for each company by itself', () => {
    const queue = createFairQueue<string>({ maxWaiting: 2 });
    expect(['a', 'b', 'c'].map((item) => queue.add(item, 1, 'interactive'))).toEqual([true, true, false]);
    expect(queue.add('d', 2, 'interactive')).toBe(true);
    expect(queue.add('e', 1, 'bulk')).toBe(true);
    expect(queue.remove('a')).toBe(true);
    expect(queue.remove('a')).toBe(false);
    expect(queue.add('f', 1, 'interactive')).toBe(true);
    expect(queue.size).toBe(4);
    expect(queue.clear().toSorted()).toEqual(['b', 'd', 'e', 'f']);
    expect(queue.take()).toBeUndefined();
  });

  test('companies that may not run are left for later', () => {
    const queue = createFairQueue<string>({ maxWaiting: 2 });
    queue.add('a', 1, 'interactive');
    queue.add('b', 2, 'bulk');
    expect(queue.take((company) => company !== 1)).toEqual({ item: 'b', companyId: 2 });
    expect(queue.take((company) => company !== 1)).toBeUndefined();
    expect(queue.take()).toEqual({ item: 'a', companyId: 1 });
  });
});
