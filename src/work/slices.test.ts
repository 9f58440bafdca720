import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import type { Slice } from '../lib/slice.ts';
import { createChoresWorker } from './chores.ts';
import { allSlices, inSlices, UNFINISHED } from './slices.ts';

/** Ten slices; records where each began. */
function tenSlices(began: (number | null)[]): Slice<number> {
  return async (place) => {
    began.push(place);
    const next = (place ?? 0) + 1;
    return { done: 5, next: next === 10 ? null : next };
  };
}
const FROM_THE_START = [null, 1, 2, 3, 4, 5, 6, 7, 8, 9];

describe('upkeep in slices', () => {
  test('continues where the previous turn stopped, and starts again after the end', async () => {
    const began: (number | null)[] = [];
    const turn = inSlices(tenSlices(began), 0);
    for (let i = 0; i < 9; i++) expect(await turn()).toBe(UNFINISHED);
    expect(await turn()).toBeUndefined();
    expect(began).toEqual(FROM_THE_START);
    await turn();
    expect(began.at(-1)).toBe(null);
  });

  test('takes as many slices as a turn has time for', async () => {
    const began: (number | null)[] = [];
    expect(await inSlices(tenSlices(began), 60_000)()).toBeUndefined();
    expect(began).toEqual(FROM_THE_START);
  });

  test('continues at the failed slice', async () => {
    const began: (number | null)[] = [];
    const slices = tenSlices(began);
    let failures = 1;
    const turn = inSlices<number>((place) => {
      if (place === 4 && failures-- > 0) return Promise.reject(new Error('locked'));
      return slices(place);
    }, 60_000);
    await expect(turn()).rejects.toThrow('locked');
    await turn();
    expect(began).toEqual(FROM_THE_START);
  });

  test('can be done as a whole', async () => {
    expect(await allSlices(tenSlices([]))).toBe(50);
  });

  test('is taken up at the very next turn of the worker, other chores in between', async () => {
    const order: string[] = [];
    const began: (number | null)[] = [];
    const turn = inSlices(tenSlices(began), 0);
    const run = async () => {
      order.push('sliced');
      return turn();
    };
    const other = { name: 'other', everyMs: 0, run: async () => void order.push('other') };
    const log = pino({ level: 'silent' });
    const worker = createChoresWorker({ log, chores: [{ name: 'sliced', everyMs: 3_600_000, run }, other] });
    for (let i = 0; i < 12; i++) await worker.runOnce();
    expect(began).toEqual(FROM_THE_START);
    expect(order.slice(0, 4)).toEqual(['sliced', 'other', 'sliced', 'other']);
    expect(order.filter((name) => name === 'sliced')).toHaveLength(10);
  });
});

test('a chore that waits for writes runs again after a failure, and otherwise only after a write', async () => {
  let mark = 1;
  let [runs, failing] = [0, true];
  const run = async () => {
    runs++;
    if (failing) throw new Error('the disk is full');
  };
  const log = pino({ level: 'silent' });
  const worker = createChoresWorker({ log, chores: [{ name: 'afterwards', everyMs: 0, afterWrites: true, run }] });
  worker.start({ writes: { mark: () => `${mark}`, watch: () => {} }, clock: systemClock });
  await expect.poll(() => runs).toBeGreaterThan(1);
  failing = false;
  const failed = runs;
  await expect.poll(() => runs).toBe(failed + 1);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(runs).toBe(failed + 1);
  mark++;
  await expect.poll(() => runs).toBe(failed + 2);
  await worker.stop();
});
