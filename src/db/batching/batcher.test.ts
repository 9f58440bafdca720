import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../errors.ts';
import { CommitUnknown } from '../unavailable.ts';
import { type Batcher, createBatcher, type Settled } from './batcher.ts';

const databaseError = (code: string): Error => Object.assign(new pg.DatabaseError('no', 1, 'error'), { code });

/** One member of a toy action: takes `take` of the company's stock, or makes its transaction fail. */
interface Take {
  company: number;
  take: number;
  poison: boolean;
  /** Turns of the event loop until its batch settles. */
  turns: number;
}

const take = fc.record({
  company: fc.integer({ min: 1, max: 3 }),
  take: fc.integer({ min: 1, max: 5 }),
  poison: fc.integer({ max: 9, min: 0 }).map((n) => n === 0),
  turns: fc.integer({ min: 0, max: 3 }),
});

/** A shop whose batches are atomic: stock changes only when the whole run succeeds. */
function createShop(stockEach: number, options: { maxSize: number; maxInFlight: number; maxInFlightPerKey?: number }) {
  const stock = new Map<number, number>();
  const order: Take[] = [];
  const sizes: number[] = [];
  const running = new Map<number, number>();
  let mostInFlight = 0;
  let inFlight = 0;
  const batcher: Batcher<Take, number> = createBatcher<Take, number>({
    key: (item) => item.company,
    ...options,
    run: async (company, items) => {
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      // Batches of one company wait for each other, as they do for the rows that they lock.
      while (running.has(company)) await nextTurn();
      running.set(company, items.length);
      try {
        for (let i = 0; i < Math.max(...items.map((item) => item.turns)); i++) await nextTurn();
        expect(items.every((item) => item.company === company)).toBe(true);
        if (items.some((item) => item.poison)) throw databaseError('23514');
        sizes.push(items.length);
        return items.map((item): Settled<number> => {
          order.push(item);
          const left = (stock.get(company) ?? stockEach) - item.take;
          if (left < 0) return { ok: false, error: new AppError('insufficient_stock', 'no') };
          stock.set(company, left);
          return { ok: true, value: left };
        });
      } finally {
        inFlight--;
        running.delete(company);
      }
    },
  });
  return { batcher, order, sizes, mostInFlight: () => mostInFlight };
}

/** The results of the same actions run one after the other, alone, in the order given. */
function aloneInOrder(stockEach: number, items: Take[]): Map<Take, string> {
  const stock = new Map<number, number>();
  const results = new Map<Take, string>();
  for (const item of items) {
    const left = (stock.get(item.company) ?? stockEach) - item.take;
    if (left >= 0) stock.set(item.company, left);
    results.set(item, left >= 0 ? `left ${left}` : 'insufficient_stock');
  }
  return results;
}

async function resultOf(promise: Promise<number>): Promise<string> {
  try {
    return `left ${await promise}`;
  } catch (error) {
    return error instanceof AppError ? error.code : 'failed';
  }
}

describe('batches', () => {
  it('give each caller the result that it would have got alone, in some serial order', async () => {
    const scenario = fc.record({
      items: fc.array(take, { minLength: 1, maxLength: 60 }),
      maxSize: fc.integer({ min: 1, max: 16 }),
      maxInFlight: fc.integer({ min: 1, max: 3 }),
      maxInFlightPerKey: fc.integer({ min: 1, max: 3 }),
      stockEach: fc.integer({ min: 0, max: 60 }),
      gaps: fc.array(fc.boolean(), { maxLength: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ items, maxSize, maxInFlight, maxInFlightPerKey, stockEach, gaps }) => {
        const shop = createShop(stockEach, { maxSize, maxInFlight, maxInFlightPerKey });
        const results: Promise<string>[] = [];
        for (const [i, item] of items.entries()) {
          results.push(resultOf(shop.batcher.submit(item)));
          if (gaps[i]) await nextTurn();
        }
        const given = await Promise.all(results);
        await shop.batcher.drained();
        const expected = aloneInOrder(stockEach, shop.order);
        for (const [i, item] of items.entries()) {
          expect(given[i]).toBe(item.poison ? 'failed' : expected.get(item));
        }
        expect(shop.order).toHaveLength(items.filter((item) => !item.poison).length);
        expect(Math.max(0, ...shop.sizes)).toBeLessThanOrEqual(maxSize);
        expect(shop.mostInFlight()).toBeLessThanOrEqual(maxInFlight);
      }),
      { numRuns: 150 },
    );
  });

  it('keep the order of arrival within a company when one batch runs at a time', async () => {
    const shop = createShop(1_000, { maxSize: 7, maxInFlight: 1 });
    const items = Array.from({ length: 50 }, () => ({ company: 1, take: 1, poison: false, turns: 1 }));
    await Promise.all(items.map((item) => shop.batcher.submit(item)));
    expect(shop.order).toEqual(items);
    expect(shop.sizes.length).toBeLessThanOrEqual(8);
  });

  it('run one of a key at a time where told, and those of other keys meanwhile', async () => {
    const running = new Map<number, number>();
    let together = 0;
    const batcher = createBatcher<number, number>({
      key: (item) => item % 3,
      maxSize: 5,
      maxInFlight: 2,
      maxInFlightPerKey: 1,
      run: async (key, items) => {
        running.set(key, (running.get(key) ?? 0) + 1);
        expect(running.get(key)).toBe(1);
        together = Math.max(together, running.size);
        for (let i = 0; i < 3; i++) await nextTurn();
        running.delete(key);
        return items.map((value) => ({ ok: true, value }));
      },
    });
    const items = Array.from({ length: 100 }, (_, i) => i);
    expect(await Promise.all(items.map((item) => batcher.submit(item)))).toEqual(items);
    await batcher.drained();
    expect(together).toBe(2);
  });

  it('start beside one of their key only when as large, and beside others at once', async () => {
    const started: number[][] = [];
    const ends: (() => void)[] = [];
    const batcher = createBatcher<number, number>({
      key: (item) => item % 2,
      maxSize: 64,
      maxInFlight: 3,
      run: async (_key, items) => {
        started.push(items);
        await new Promise<void>((resolve) => ends.push(resolve));
        return items.map((value) => ({ ok: true, value }));
      },
    });
    const submit = async (...items: number[]): Promise<void> => {
      for (const item of items) void batcher.submit(item);
      await nextTurn();
    };
    await submit(2, 4, 6);
    await submit(8);
    await submit(10);
    expect(started).toEqual([[2, 4, 6]]);
    await submit(1);
    expect(started).toEqual([[2, 4, 6], [1]]);
    await submit(12);
    expect(started).toEqual([[2, 4, 6], [1], [8, 10, 12]]);
    await submit(14);
    // Nothing of the key is in flight any more, so the remaining batch may be small.
    for (const end of ends) end();
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    expect(started.at(-1)).toEqual([14]);
    ends.at(-1)!();
    await batcher.drained();
  });

  it.each([
    ['a constraint', databaseError('23505')],
    ['a value out of range', databaseError('22003')],
    ['a refusal thrown instead of settled', new AppError('not_found', 'no')],
    ['a mistake in the program', new TypeError('x is undefined')],
  ])('let only the member fail that causes it: %s', async (_what, error) => {
    let runs = 0;
    const batcher = createBatcher<number, number>({
      key: () => 1,
      maxSize: 64,
      maxInFlight: 2,
      run: async (_key, items) => {
        runs++;
        if (items.includes(41)) throw error;
        return items.map((value) => ({ ok: true, value }));
      },
    });
    const ends = await Promise.allSettled(Array.from({ length: 64 }, (_, i) => batcher.submit(i)));
    expect(ends.map((end) => end.status === 'rejected')).toEqual(ends.map((_, i) => i === 41));
    expect(ends[41]).toMatchObject({ reason: error });
    // One halving per power of two, not one run per member.
    expect(runs).toBe(13);
  });

  it.each([
    ['a COMMIT of unknown outcome', new CommitUnknown(new Error('reset'))],
    ['a lost connection', new Error('Connection terminated unexpectedly')],
    ['a server that shuts down', databaseError('57P01')],
    ['a server without room', databaseError('53300')],
  ])('are never run again after %s', async (_what, error) => {
    let runs = 0;
    const batcher = createBatcher<number, number>({
      key: () => 1,
      maxSize: 64,
      maxInFlight: 1,
      run: async () => {
        runs++;
        throw error;
      },
    });
    const ends = await Promise.allSettled(Array.from({ length: 64 }, (_, i) => batcher.submit(i)));
    expect(runs).toBe(1);
    for (const end of ends) expect(end).toEqual({ status: 'rejected', reason: error });
  });

  it.each([
    ['a lock', '55P03', 10_000, 3],
    ['a statement', '57014', 15_000, 3],
    ['a lock that is not waited for long', '55P03', 1_000, 13],
  ])('that time out on %s are taken apart, but not for ever', async (_what, code, ms, most) => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    let runs = 0;
    const batcher = createBatcher<number, number>({
      key: () => 1,
      maxSize: 64,
      maxInFlight: 1,
      run: async (_key, items) => {
        runs++;
        if (!items.includes(41)) return items.map((value) => ({ ok: true, value }));
        now += ms;
        throw databaseError(code);
      },
    });
    const ends = await Promise.allSettled(Array.from({ length: 64 }, (_, i) => batcher.submit(i)));
    clock.mockRestore();
    expect(runs).toBe(most);
    const failed = ends.flatMap((end, i) => (end.status === 'rejected' ? [i] : []));
    expect(failed).toContain(41);
    // When a batch is too slow for that, at least the half without the failing member succeeds.
    expect(failed.length).toBe(most === 3 ? 32 : 1);
  });

  it('that all time out are run three times, not a hundred and twenty-seven', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    let runs = 0;
    const batcher = createBatcher<number, number>({
      key: () => 1,
      maxSize: 64,
      maxInFlight: 1,
      run: async () => {
        runs++;
        now += 15_000;
        throw databaseError('57014');
      },
    });
    const ends = await Promise.allSettled(Array.from({ length: 64 }, (_, i) => batcher.submit(i)));
    clock.mockRestore();
    expect(runs).toBe(3);
    expect(ends.every((end) => end.status === 'rejected')).toBe(true);
  });

  it('that take long refuse nobody who fits into the next one', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const slow = Promise.withResolvers<void>();
    const batcher = createBatcher<number, number>({
      key: () => 1,
      maxSize: 64,
      maxInFlight: 1,
      run: async (_key, items) => {
        await slow.promise;
        return items.map((value) => ({ ok: true, value }));
      },
    });
    const ends = [batcher.submit(0)];
    await nextTurn();
    for (let i = 1; i <= 60; i++) {
      now += 20;
      ends.push(batcher.submit(i));
    }
    slow.resolve();
    expect(await Promise.all(ends)).toHaveLength(61);
    clock.mockRestore();
  });

  it('keep memory bounded: of 10,000 callers at once, those beyond the bound are refused at once', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const batcher = createBatcher<number, number>({
      key: (item) => item % 100,
      maxSize: 64,
      maxInFlight: 2,
      maxWaiting: 4_000,
      run: async (_key, items) => {
        await held;
        return items.map((value) => ({ ok: true, value }));
      },
    });
    const ends = Promise.allSettled(Array.from({ length: 10_000 }, (_, i) => batcher.submit(i)));
    await nextTurn();
    release();
    const settled = await ends;
    const refused = settled.filter((end) => end.status === 'rejected');
    expect(refused).toHaveLength(6_000);
    for (const end of refused) expect(end.reason).toMatchObject({ name: 'Overloaded' });
    await batcher.drained();
    await expect(batcher.submit(7)).resolves.toBe(7);
  });

  it('keep memory bounded in bytes: half for one company, all for several, and none once they have left', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const batcher = createBatcher<{ company: number; bytes: number }, number>({
      key: ({ company }) => company,
      bytesOf: ({ bytes }) => bytes,
      maxSize: 4,
      maxInFlight: 1,
      maxWaitingBytes: 1_000,
      run: async (_key, items) => {
        await held;
        return items.map(({ bytes }) => ({ ok: true, value: bytes }));
      },
    });
    const submit = (company: number, sizes: number[]) =>
      Promise.allSettled(sizes.map((bytes) => batcher.submit({ company, bytes })));
    const refusedOf = async (results: ReturnType<typeof submit>): Promise<number[]> =>
      (await results).flatMap((end, i) => (end.status === 'rejected' ? [i] : []));
    // One batch in flight, whose bytes do not count as waiting.
    const first = submit(1, [400]);
    await nextTurn();
    // 100 more would be more than half; a smaller one still fits.
    const loud = submit(1, [200, 100, 100, 200, 100, 1]);
    const quiet = submit(2, [300, 200]);
    const third = submit(3, [1]);
    await nextTurn();
    release();
    expect(await refusedOf(loud)).toEqual([3, 5]);
    expect(await refusedOf(quiet)).toEqual([]);
    expect(await refusedOf(third)).toEqual([0]);
    expect((await third)[0]).toMatchObject({ reason: { name: 'Overloaded' } });
    expect(await refusedOf(first)).toEqual([]);
    await batcher.drained();
    expect(await refusedOf(submit(1, [500]))).toEqual([]);
    await batcher.drained();
    // A request larger than a share is accepted when nothing waits before it.
    expect(await refusedOf(submit(1, [600]))).toEqual([]);
  });

  it('count no bytes of those that have waited for too long and were refused', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const batcher = createBatcher<number, number>({
      key: () => 1,
      bytesOf: (bytes) => bytes,
      maxSize: 4,
      maxInFlight: 1,
      maxWaitMs: 20,
      maxWaitingBytes: 1_000,
      run: async (_key, items) => {
        await held;
        return items.map((value) => ({ ok: true, value }));
      },
    });
    const first = batcher.submit(1);
    await nextTurn();
    await expect(batcher.submit(500)).rejects.toMatchObject({ name: 'Overloaded' });
    // A second one fits only where the first is counted no more.
    const next = Promise.all([batcher.submit(250), batcher.submit(250)]);
    release();
    expect(await next).toEqual([250, 250]);
    expect(await first).toBe(1);
  });

  it('serve companies in turn: one with a long queue does not hold up another', async () => {
    const served: number[] = [];
    const batcher = createBatcher<number, number>({
      key: (item) => item,
      maxSize: 10,
      maxInFlight: 1,
      run: async (key, items) => {
        served.push(key);
        await nextTurn();
        return items.map((value) => ({ ok: true, value }));
      },
    });
    const loud = Array.from({ length: 1_000 }, () => batcher.submit(1));
    const quiet = [2, 3, 4].map((company) => batcher.submit(company));
    await Promise.all(quiet);
    expect(served.length).toBeLessThanOrEqual(5);
    await Promise.all(loud);
    expect(served).toHaveLength(103);
  });

  it('start at once when idle, and gather only while others are on their way', async () => {
    const sizes: number[] = [];
    const batcher = createBatcher<number, number>({
      key: () => 1,
      maxSize: 100,
      maxInFlight: 1,
      run: async (_key, items) => {
        sizes.push(items.length);
        for (let i = 0; i < 3; i++) await nextTurn();
        return items.map((value) => ({ ok: true, value }));
      },
    });
    const first = batcher.submit(0);
    await nextTurn();
    const rest = Array.from({ length: 30 }, (_, i) => batcher.submit(i));
    await Promise.all([first, ...rest]);
    expect(sizes).toEqual([1, 30]);
  });
});
