import type { FairQueue, Hold } from '../../lib/fair-queue.ts';
import type { JobOutcome } from '../../lib/threads/pool.ts';
import type { SliceBuffer } from './slice-buffer.ts';
import { inSlices, type Killed, MOST_BYTES } from './slices.ts';

export interface SliceWork<Item, Result> {
  companyId: number;
  items: readonly Item[];
  run(some: readonly Item[]): Promise<JobOutcome<Result[]>>;
  bytesOf(result: Result | Killed): number;
  /** Consumes results; resolves when their memory is free again. */
  hand(slice: { item: Item; result: Result | Killed }[]): Promise<void>;
  /** Called after each slice; if false, the remaining items are left. */
  mayGoOn(): boolean;
}

/**
 * Composes items slice by slice and passes each slice on (see slice-buffer.ts). A slice holds its part of `memory` until it has been
 * passed on. Returns the items that were left.
 */
export async function composeSlices<Item, Result, Made>(
  memory: FairQueue,
  buffer: SliceBuffer<Made>,
  work: SliceWork<Item, Result>,
): Promise<readonly Item[]> {
  const { companyId, items, run, bytesOf, hand, mayGoOn } = work;
  const held: { open: Hold | null } = { open: null };
  const handing: Promise<void>[] = [];
  let done = 0;
  const madeAll = buffer.begin();
  const slices = inSlices<Item, Result>(items, async (some) => {
    held.open ??= memory.tryTake(companyId, MOST_BYTES);
    held.open ??= await buffer.during(memory.take(companyId, { cost: MOST_BYTES, priority: 'bulk' }));
    return run(some);
  });
  try {
    for await (const slice of slices) {
      const hold = held.open;
      held.open = null;
      hold?.reduceTo(slice.reduce((sum, { result }) => sum + bytesOf(result), 0));
      const handed = hand(slice).finally(() => hold?.release());
      // The rejection is handled below, once all slices are made.
      handed.catch(() => {});
      handing.push(handed);
      done += slice.length;
      if (!mayGoOn()) break;
    }
  } finally {
    held.open?.release();
    madeAll();
    await Promise.allSettled(handing);
  }
  await Promise.all(handing);
  return items.slice(done);
}
