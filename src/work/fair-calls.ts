import { setTimeout as sleep } from 'node:timers/promises';

/** Calls to the outside that many companies wait for: each claimed, made outside of any transaction, and settled. */
export interface FairCalls<Item> {
  /** Companies that have something due. */
  companies: () => Promise<number[]>;
  /** Takes up to `limit` due items of the company. */
  claim: (companyId: number, limit: number) => Promise<Item[]>;
  /** Makes the call and settles it; must not reject. */
  call: (companyId: number, item: Item) => Promise<void>;
  /** Calls under way at once: of one company, so that its dead endpoint holds up nobody else, and of all. */
  perCompany: number;
  inAll: number;
}

const LOOK_AGAIN_MS = 250;

/** Goes on while something is due or under way; a slow company has no more than its own places. Gives how many it made. */
export async function makeCalls<Item>(work: FairCalls<Item>, signal: AbortSignal): Promise<number> {
  const underWay = new Map<number, number>();
  const all = new Set<Promise<void>>();
  let made = 0;
  const placesOf = (companyId: number): number =>
    Math.min(work.perCompany - (underWay.get(companyId) ?? 0), work.inAll - all.size);
  const begin = (companyId: number, item: Item): void => {
    underWay.set(companyId, (underWay.get(companyId) ?? 0) + 1);
    const call = work.call(companyId, item).finally(() => {
      all.delete(call);
      underWay.set(companyId, underWay.get(companyId)! - 1);
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
    // Not only for the calls: another company's may come due meanwhile.
    if (made === before) await Promise.race([...all, sleep(LOOK_AGAIN_MS)]);
  }
}
