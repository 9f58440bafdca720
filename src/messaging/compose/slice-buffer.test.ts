import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from '../../lib/fair-queue.ts';
import { composeSlices } from './compose-slices.ts';
import { createSliceBuffer } from './slice-buffer.ts';
import { MOST_BYTES } from './slices.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('what is made while others are made is handed on in one piece', async () => {
  const sent: number[][] = [];
  const buffer = createSliceBuffer<number>(async (items) => void sent.push(items));
  const [one, two] = [buffer.begin(), buffer.begin()];
  const handed = [buffer.hand([1, 2]), buffer.hand([3])];
  one();
  await turn();
  expect(sent).toEqual([]);
  two();
  await Promise.all(handed);
  expect(sent).toEqual([[1, 2, 3]]);
});

test('nobody waits for memory that is held by what waits to be handed on, and everything is handed on once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          company: fc.integer({ min: 1, max: 3 }),
          chunks: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      async (sets) => {
        // Room for two jobs, each of which a single item can fill.
        const memory = new FairQueue({ capacity: 4 * MOST_BYTES });
        const sent: string[] = [];
        await Promise.all(
          sets.map(async ({ company, chunks }, set) => {
            const buffer = createSliceBuffer<string>(async (items) => {
              await turn();
              sent.push(...items);
            });
            await Promise.all(
              chunks.map((size, chunk) =>
                composeSlices<string, string, string>(memory, buffer, {
                  companyId: company,
                  items: Array.from({ length: size }, (_, n) => `${set}.${chunk}.${n}`),
                  run: async (some) => ({ ended: 'done', value: [some[0]!] }),
                  bytesOf: () => MOST_BYTES,
                  hand: (slice) => buffer.hand(slice.map(({ item }) => item)),
                  mayGoOn: () => true,
                }),
              ),
            );
          }),
        );
        const all = sets.flatMap(({ chunks }, set) =>
          chunks.flatMap((size, chunk) => Array.from({ length: size }, (_, n) => `${set}.${chunk}.${n}`)),
        );
        expect(sent.toSorted()).toEqual(all.toSorted());
        expect(memory.held).toBe(0);
      },
    ),
    { numRuns: 40 },
  );
});
