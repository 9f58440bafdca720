import { setTimeout as sleep } from 'node:timers/promises';

/** Outgoing calls of many companies: each is claimed, made outside of any transaction, and settled. */
export interface FairCalls<Item> {
  /** Companies with due items. */
  companies: () => Promise<number[]>;
  /** Claims up to `limit` due items of the company. */
  claim: (companyId: number, limit: number) => Promise<Item[]>;
  /** Makes the call and settles it; must not reject. */
  call: (companyId: number, item: Item) => Promise<void>;
  /** Maximum concurrent calls: of one company, so that a dead endpoint delays no other company, and in total. */
  perCompany: number;
  inAll: number;
}

const POLL_MS = 250;

/** Runs while items are due or calls in flight. A slow company takes up only its own slots. Returns the number of calls. */
export async function makeCalls<Item>(work: FairCalls<Item>, signal: AbortSignal): Promise<number> {
  const inFlight = new Map<number, number>();
  const all = new Set<Promise<void>>();
  let made = 0;
  const placesOf = (companyId: number): number =>
    Math.min(work.perCompany - (inFlight.get(companyId) ?? 0), work.inAll - all.size);
  const begin = (companyId: number, item: Item): void => {
    inFlight.set(companyId, (inFlight.get(companyId) ?? 0) + 1);
    const call = work.call(companyId, item).finally(() => {
      all.delete(call);
      inFlight.set(companyId, inFlight.get(companyId)! - 1);
    });
    all.add(call);
    made++;
  };
  for (;;) {
    const before = made;
    for (const companyId of signal.aborted ? [] : await work.companies()) {
      const places = placesOf(companyId);
      if (places > 0) for (const item of await work.claim(companyId, places)) begin(companyId, item);
    }
    if (all.size === 0) return made;
    // Waits for a limited time, not only for the calls: items of another company may become due meanwhile.
    if (made === before) await Promise.race([...all, sleep(POLL_MS)]);
  }
}
