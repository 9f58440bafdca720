import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from '../../lib/fair-queue.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import { batchesOf, HandOn } from './batches.ts';
import { type ComposedMessage, GIVEN_BACK } from './outcomes.ts';
import { MOST_BYTES } from './thread/jobs.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const composed = (id: number): ComposedMessage => {
  const message: ClaimedMessage = {
    companyId: 1,
    id,
    epoch: 1,
    channel: 'email',
    transactional: false,
    contactId: 1,
    recipient: null,
    attempts: 0,
    dueAt: new Date(0),
    wantedAt: new Date(0),
    origin: { kind: 'campaign', campaignId: 1 },
    correlation: null,
  };
  return { message, composed: GIVEN_BACK };
};

test('a batch has at most 50 messages and a mebibyte of characters, but a larger message is alone', () => {
  const sizesOf = (characters: number[]) =>
    batchesOf(characters.map((n) => ({ json: 'x'.repeat(n) }))).map((batch) => batch.length);
  expect(sizesOf(Array(120).fill(10))).toEqual([50, 50, 20]);
  expect(sizesOf([600_000, 400_000, 100_000, 2_000_000, 1])).toEqual([2, 1, 1, 1]);
  expect(sizesOf([])).toEqual([]);
});

test('messages composed while other batches are composed are handed on together', async () => {
  const handed: number[][] = [];
  const hand = async (some: ComposedMessage[]) => void handed.push(some.map(({ message }) => message.id));
  const handOn = new HandOn({ memory: new FairQueue({ capacity: 4 * MOST_BYTES }), companyId: 1, hand });
  const [one, other] = [handOn.begin(), handOn.begin()];
  handOn.add([composed(1), composed(2)]);
  handOn.add([composed(3)]);
  one();
  await turn();
  expect(handed).toEqual([]);
  other();
  await handOn.done();
  expect(handed).toEqual([[1, 2, 3]]);
});

test('no batch waits for memory that is held by what waits to be handed on, and everything is handed on once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          companyId: fc.integer({ min: 1, max: 3 }),
          batches: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      async (calls) => {
        // Room for the results of four jobs, which each fill it with a single message.
        const memory = new FairQueue({ capacity: 4 * MOST_BYTES });
        const handed: number[] = [];
        const hand = async (some: ComposedMessage[]): Promise<void> => {
          await turn();
          handed.push(...some.map(({ message }) => message.id));
        };
        await Promise.all(
          calls.map(async ({ companyId, batches }, call) => {
            const handOn = new HandOn({ memory, companyId, hand });
            await Promise.all(
              batches.map(async (size, batch) => {
                const end = handOn.begin();
                for (let n = 0; n < size; n += 1) {
                  const hold = await handOn.room();
                  handOn.add([composed(10_000 * call + 100 * batch + n)], hold);
                }
                end();
              }),
            );
            await handOn.done();
          }),
        );
        const all = calls.flatMap(({ batches }, call) =>
          batches.flatMap((size, batch) => Array.from({ length: size }, (_, n) => 10_000 * call + 100 * batch + n)),
        );
        expect(handed.toSorted((a, b) => a - b)).toEqual(all);
        expect(memory.held).toBe(0);
      },
    ),
    { numRuns: 40 },
  );
});

test('a failure of handing on is reported once the rest is handed on', async () => {
  const handed: number[] = [];
  const hand = async (some: ComposedMessage[]): Promise<void> => {
    await turn();
    if (some[0]!.message.id === 1) throw new Error('refused');
    handed.push(some[0]!.message.id);
  };
  const memory = new FairQueue({ capacity: 4 * MOST_BYTES });
  const handOn = new HandOn({ memory, companyId: 1, hand });
  for (const id of [1, 2]) handOn.add([composed(id)], await handOn.room());
  await expect(handOn.done()).rejects.toThrow('refused');
  expect([handed, memory.held]).toEqual([[2], 0]);
});
