import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Overloaded } from '../errors.ts';
import { FairQueue, type Hold, type Priority } from './fair-queue.ts';

const settled = async (): Promise<void> => {
  for (let n = 0; n < 10; n++) await Promise.resolve();
};

const priorities = fc.constantFrom<Priority>('interactive', 'bulk');
const CAPACITY = 64;
const arrivals = fc.array(
  fc.record({ company: fc.integer({ min: 1, max: 5 }), priority: priorities, cost: fc.integer({ min: 1, max: 20 }) }),
  { maxLength: 120 },
);

describe('the fair queue', () => {
  test('starts everything once, in the order of arrival of each company and priority, within capacity and shares', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, fc.infiniteStream(fc.nat(1_000)), async (some, order) => {
        const queue = new FairQueue({ capacity: CAPACITY, maxWaiting: 1_000 });
        const begun: number[] = [];
        const holds: { company: number; cost: number; hold: Hold }[] = [];
        some.forEach(({ company, priority, cost }, n) => {
          void queue.take(company, { cost, priority }).then((hold) => {
            begun.push(n);
            holds.push({ company, cost, hold });
            expect(queue.held).toBeLessThanOrEqual(CAPACITY);
            expect(queue.heldBy(company)).toBeLessThanOrEqual(CAPACITY / 2);
          });
        });
        for (;;) {
          await settled();
          if (holds.length === 0) break;
          const [one] = holds.splice(order.next().value! % holds.length, 1);
          one!.hold.reduceTo(Math.floor(one!.cost / 2));
          one!.hold.release();
          one!.hold.release();
        }
        expect(begun.toSorted((a, b) => a - b)).toEqual(some.map((_, n) => n));
        const keys = begun.map((n) => ({ n, key: `${some[n]!.company} ${some[n]!.priority}` }));
        for (const group of Map.groupBy(keys, ({ key }) => key).values())
          expect(group.map(({ n }) => n)).toEqual(group.map(({ n }) => n).toSorted((a, b) => a - b));
        expect([queue.held, queue.waiting]).toEqual([0, 0]);
        await queue.idle();
      }),
      { numRuns: 50 },
    );
  });

  test('a company may hold its share, and one entry of any cost while it holds nothing', () => {
    const queue = new FairQueue({ capacity: 8, share: 2 });
    const large = queue.takeNow(1, 5);
    expect(queue.tryTake(1)).toBeNull();
    expect(queue.freeFor(2)).toBe(2);
    expect(queue.takeNow(2).release).toBeDefined();
    large.reduceTo(1);
    queue.takeNow(1);
    expect(() => queue.takeNow(1)).toThrow(Overloaded);
  });

  test('a large entry whose turn has come is not overtaken by small ones', async () => {
    const queue = new FairQueue({ capacity: 4, share: 4, maxWaiting: 10 });
    const holds = [queue.takeNow(1, 2), queue.takeNow(1, 2)];
    const begun: string[] = [];
    void queue.take(2, { cost: 4 }).then((hold) => {
      begun.push('large');
      hold.release();
    });
    void queue.take(3, { cost: 1 }).then(() => begun.push('small'));
    holds[0]!.release();
    await settled();
    expect(begun).toEqual([]);
    holds[1]!.release();
    await settled();
    expect(begun).toEqual(['large', 'small']);
  });

  test('entries of a company beyond those that may wait are refused, and those that wait too long', async () => {
    const refusal = () => new Error('busy');
    const queue = new FairQueue({ capacity: 1, maxWaiting: 1, maxWaitMs: 20, refusal });
    const hold = queue.takeNow(1);
    const late = queue.take(1);
    await expect(queue.take(1)).rejects.toThrow('busy');
    const other = queue.take(2);
    const bulk = queue.take(1, { priority: 'bulk' });
    await expect(Promise.all([late, other])).rejects.toThrow('busy');
    await expect(other).rejects.toThrow('busy');
    hold.release();
    (await bulk).release();
    await queue.run(1, async () => {});
    expect(queue.held).toBe(0);
  });

  test('what exists already is counted whatever the limits, and its owner is refused while it is too much', () => {
    const queue = new FairQueue({ capacity: 8, share: 4 });
    const hold = queue.hold(1, 6);
    expect(() => queue.refuseOver(1)).toThrow(Overloaded);
    queue.refuseOver(2);
    const other = queue.hold(2, 3);
    expect(() => queue.refuseOver(2)).toThrow(Overloaded);
    queue.refuseOver(3);
    hold.release();
    other.reduceTo(1);
    for (const owner of [1, 2]) queue.refuseOver(owner);
  });

  test('rejects everything that waits or comes once it is closed', async () => {
    const queue = new FairQueue({ capacity: 1, maxWaiting: 1 });
    const hold = queue.takeNow(1);
    const waiting = queue.take(1);
    queue.close(new Error('closed'));
    await expect(waiting).rejects.toThrow('closed');
    await expect(queue.take(2)).rejects.toThrow('closed');
    hold.release();
    expect(queue.tryTake(2)).toBeNull();
    await queue.idle();
  });

  test('releases the place of work that fails', async () => {
    const queue = new FairQueue({ capacity: 1 });
    await expect(queue.run(1, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    const idle = queue.run(1, () => sleep(5));
    await queue.idle();
    expect(queue.held).toBe(0);
    await idle;
  });
});

describe('the order of companies that wait', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** One place; each entry holds it for as long as its company's entries cost. Returns the companies in the order of service. */
  function oneByOne(costOf: (company: number) => number) {
    const queue = new FairQueue({ capacity: 1, maxWaiting: 10_000 });
    const hold = queue.takeNow(0);
    const served: { company: number; priority: Priority }[] = [];
    const add = (company: number, priority: Priority = 'interactive'): void => {
      void queue.run(
        company,
        async () => {
          served.push({ company, priority });
          await new Promise((resolve) => setTimeout(resolve, costOf(company)));
        },
        { priority },
      );
    };
    const serve = async (ms: number): Promise<number[]> => {
      hold.release();
      const before = served.length;
      await vi.advanceTimersByTimeAsync(ms);
      return served.slice(before).map(({ company }) => company);
    };
    return { add, serve, served };
  }

  test('gives those that always wait the same time, whatever their entries cost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 2, maxLength: 4 }), async (costs) => {
        const { add, serve } = oneByOne((company) => costs[company - 1]!);
        for (let n = 0; n < 300; n++) for (const i of costs.keys()) add(i + 1);
        const used = costs.map(() => 0);
        for (const company of await serve(300)) used[company - 1]! += costs[company - 1]!;
        expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(2 * Math.max(...costs) + 1);
      }),
      { numRuns: 10 },
    );
  });

  test('lets a newcomer wait for one entry of each other company at most, however much these have waiting', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), fc.nat(50), async (others, before) => {
        const { add, serve } = oneByOne(() => 10);
        for (let n = 0; n < 100; n++) for (let company = 1; company <= others; company++) add(company);
        await serve(before * 10);
        add(99);
        expect(await serve((others + 1) * 10)).toContain(99);
      }),
      { numRuns: 10 },
    );
  });

  test('gives no credit for a pause: a returning owner does not overtake others repeatedly', async () => {
    const { add, serve } = oneByOne(() => 10);
    for (let n = 0; n < 200; n++) add(1);
    add(2);
    await serve(1_000);
    for (let n = 0; n < 50; n++) add(2);
    const served = await serve(200);
    expect(served.filter((company) => company === 1).length).toBeGreaterThanOrEqual(9);
  });

  test('has interactive entries before bulk entries, of whichever company, and gives bulk entries one place in four', async () => {
    const { add, serve, served } = oneByOne(() => 1);
    for (let n = 0; n < 100; n++) add(1, 'bulk');
    for (let n = 0; n < 100; n++) add((n % 3) + 1);
    await serve(39);
    expect(served.slice(0, 3).map(({ priority }) => priority)).toEqual(Array(3).fill('interactive'));
    expect(served.slice(0, 40).filter(({ priority }) => priority === 'bulk')).toHaveLength(10);
  });
});
