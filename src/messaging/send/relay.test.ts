import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { SettleAndHandOver } from './deliver.ts';
import { createRelay, NotBegun, type RelayOptions } from './deliver.ts';
import type { ReadyMessage } from './gate.ts';

/** A batch with only the fields that a relay reads. */
function batch(id: number, companyId = 1): ReadyMessage[] {
  return [{ message: { id, companyId } } as ReadyMessage];
}

const idsOf = (some: { message: { id: number } }[]): number[] => some.map(({ message }) => message.id);

interface Seen {
  relay: ReturnType<typeof createRelay>;
  /** For each transaction: what it recorded and what it handed over. */
  exchanges: { recorded: number[]; handedOver: number[] }[];
  /** Maximum number of batches handed over and not yet recorded. */
  most: number;
}

function relayWith(options: Partial<RelayOptions> = {}): Seen {
  const open = new Set<number>();
  const seen: Seen = { exchanges: [], most: 0, relay: () => Promise.reject() };
  seen.relay = createRelay({
    concurrency: 2,
    async settleAndHandOver({ delivered, ready }: SettleAndHandOver) {
      await pause(1);
      for (const id of idsOf(delivered)) open.delete(id);
      for (const id of idsOf(ready)) open.add(id);
      seen.most = Math.max(seen.most, open.size);
      seen.exchanges.push({ recorded: idsOf(delivered), handedOver: idsOf(ready) });
      return ready;
    },
    async deliver(going) {
      await pause(1);
      return going.map(({ message }) => ({ message, to: 'a', result: { kind: 'sent', reply: 'ok' } }));
    },
    sendRate: null,
    mayBegin: () => true,
    giveUp: new AbortController().signal,
    ...options,
  });
  return seen;
}

describe('batches through a relay', () => {
  test('each is recorded in the transaction in which the next begins, and never more outcomes are unknown than the concurrency', async () => {
    const seen = relayWith();
    const passed = await Promise.all([1, 2, 3, 4, 5, 6].map((id) => seen.relay(batch(id))));
    expect(new Set(passed)).toEqual(new Set(['settled']));
    expect(seen.most).toBe(2);
    expect(seen.exchanges.flatMap((one) => one.handedOver)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(seen.exchanges.flatMap((one) => one.recorded).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    // Two begin with nothing to record, two end with nothing to begin.
    expect(seen.exchanges).toHaveLength(8);
  });

  test('of different companies share no transaction', async () => {
    const seen = relayWith({ concurrency: 1 });
    await Promise.all([seen.relay(batch(1, 1)), seen.relay(batch(2, 2))]);
    expect(seen.exchanges).toEqual([
      { recorded: [], handedOver: [1] },
      { recorded: [1], handedOver: [] },
      { recorded: [], handedOver: [2] },
      { recorded: [2], handedOver: [] },
    ]);
  });

  test('are recorded before the next waits for the sendRate', async () => {
    const order: string[] = [];
    const seen = relayWith({
      concurrency: 1,
      async sendRate() {
        order.push(`paced after ${seen.exchanges.flatMap((one) => one.recorded).length} recorded`);
      },
    });
    await Promise.all([seen.relay(batch(1)), seen.relay(batch(2))]);
    expect(order).toEqual(['paced after 0 recorded', 'paced after 1 recorded']);
  });

  test('begin no delivery once they may not, and record those made', async () => {
    let open = true;
    const seen = relayWith({ concurrency: 1, mayBegin: () => open });
    const first = seen.relay(batch(1));
    const second = seen.relay(batch(2));
    open = true;
    await pause(1);
    open = false;
    expect(await Promise.all([first, second])).toEqual(['settled', 'refused']);
    expect(seen.exchanges.at(-1)).toEqual({ recorded: [1], handedOver: [] });
  });

  test('are recorded once the database is back; the one that could not begin is given back', async () => {
    let failures = 3;
    const told: SettleAndHandOver[] = [];
    const seen = relayWith({
      concurrency: 1,
      async settleAndHandOver(one) {
        told.push(one);
        if (one.delivered.length > 0 && failures-- > 0) throw new Error('down');
        return one.ready;
      },
    });
    const [first, second] = await Promise.allSettled([seen.relay(batch(1)), seen.relay(batch(2))]);
    expect(first).toEqual({ status: 'fulfilled', value: 'settled' });
    expect(second).toMatchObject({ status: 'rejected', reason: new NotBegun(new Error('down')) });
    expect(told.map(({ delivered, ready }) => [idsOf(delivered), idsOf(ready)])).toEqual([
      [[], [1]],
      [[1], [2]],
      [[1], []],
      [[1], []],
      [[1], []],
    ]);
  });

  test('that a transport breaks down on are not taken for undone', async () => {
    const seen = relayWith({ deliver: () => Promise.reject(new Error('a fault')) });
    await expect(seen.relay(batch(1))).rejects.toThrow('a fault');
    expect(seen.exchanges).toEqual([{ recorded: [], handedOver: [1] }]);
  });
});
