import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue } from '../lib/fair-queue.ts';

/** Outgoing calls of many companies: each is claimed, made outside of any transaction, and settled. */
export interface FairCalls<Item> {
  /** Companies with due items. */
  companies: () => Promise<number[]>;
  /** Claims up to `limit` due items of the company. */
  claim: (companyId: number, limit: number) => Promise<Item[]>;
  /** Makes the call and settles it; must not reject. */
  call: (companyId: number, item: Item) => Promise<void>;
  /** Maximum concurrent calls: of one company, so that a dead endpoint delays no other company, and in total. */
  share: number;
  capacity: number;
}

const POLL_MS = 250;

/** Runs while items are due or calls in flight. A slow company takes up only its own share. Returns the number of calls. */
export async function makeCalls<Item>(work: FairCalls<Item>, signal: AbortSignal): Promise<number> {
  const { capacity, share } = work;
  const queue = new FairQueue({ capacity, share });
  const all = new Set<Promise<void>>();
  let made = 0;
  for (;;) {
    const before = made;
    for (const companyId of signal.aborted ? [] : await work.companies()) {
      const free = queue.freeFor(companyId);
      for (const item of free > 0 ? await work.claim(companyId, free) : []) {
        const call = queue.run(companyId, () => work.call(companyId, item)).finally(() => all.delete(call));
        all.add(call);
        made++;
      }
    }
    if (all.size === 0) return made;
    // Waits for a limited time, not only for the calls: items of another company may become due meanwhile.
    if (made === before) await Promise.race([...all, sleep(POLL_MS)]);
  }
}
