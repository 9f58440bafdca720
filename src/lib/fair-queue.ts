/** `interactive`: somebody waits for the response. `bulk`: background work. */
export type Lane = 'interactive' | 'bulk';

export interface FairQueueOptions {
  /** Items of one company that wait in the interactive lane at most. Whoever fills the bulk lane limits that one. */
  maxWaiting: number;
}

export interface FairQueue<Item> {
  /** Returns false, without adding it, where so many of the company's items wait already. */
  add(item: Item, companyId: number, lane: Lane): boolean;
  /**
   * Returns the next item of a company for which `mayRun` holds. Interactive items go before bulk items, except that
   * bulk items get one place in `BULK_SHARE`; within a lane the company that has used least goes first.
   */
  take(mayRun?: (companyId: number) => boolean): { item: Item; companyId: number } | undefined;
  /** Records what an item of the company cost, in a unit chosen by the caller, the same for all. */
  charge(companyId: number, cost: number): void;
  /** Removes a waiting item; returns false if it was not waiting. */
  remove(item: Item): boolean;
  /** Removes and returns all waiting items, in no particular order. */
  clear(): Item[];
  readonly size: number;
}

/** While both lanes have items, one in so many is taken from the bulk lane: it must not starve. */
const BULK_SHARE = 4;
/** Charged for an item when it is taken, so that one company's items do not all leave before the cost of the first is known. */
const ADVANCE = 1e-3;

interface Account<Item> {
  /** Virtual time: what the company has used, raised to that of the others when it comes back after a pause. */
  used: number;
  waiting: Record<Lane, Item[]>;
}

/**
 * A queue shared by companies: start-time fair queueing. The company that used least goes first, so that many slow items of one
 * company delay another company's item by one of them at most, and a pause earns no credit. No timers, no I/O.
 */
export function createFairQueue<Item>({ maxWaiting }: FairQueueOptions): FairQueue<Item> {
  /** In the order in which they began to wait, which breaks ties. */
  const accounts = new Map<number, Account<Item>>();
  let size = 0;
  /** The virtual time of the company that was served last: where newcomers start. */
  let floor = 0;
  let sinceBulk = 0;

  function forgetIdle(): void {
    for (const [companyId, { used, waiting }] of accounts) {
      const idle = waiting.interactive.length + waiting.bulk.length === 0;
      if (idle && used <= floor) accounts.delete(companyId);
    }
  }

  function first(lane: Lane, mayRun: (companyId: number) => boolean): number | null {
    let best: number | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const [companyId, account] of accounts) {
      if (account.waiting[lane].length === 0 || account.used >= least || !mayRun(companyId)) continue;
      best = companyId;
      least = account.used;
    }
    return best;
  }

  return {
    add(item, companyId, lane) {
      let account = accounts.get(companyId);
      if (account === undefined) {
        forgetIdle();
        account = { used: floor, waiting: { interactive: [], bulk: [] } };
        accounts.set(companyId, account);
      }
      if (lane === 'interactive' && account.waiting.interactive.length >= maxWaiting) return false;
      if (account.waiting.interactive.length + account.waiting.bulk.length === 0)
        account.used = Math.max(account.used, floor);
      account.waiting[lane].push(item);
      size += 1;
      return true;
    },
    take(mayRun = () => true) {
      const interactive = first('interactive', mayRun);
      const bulk = interactive !== null && sinceBulk < BULK_SHARE - 1 ? null : first('bulk', mayRun);
      const companyId = bulk ?? interactive;
      if (companyId === null) return undefined;
      const account = accounts.get(companyId)!;
      sinceBulk = bulk === null ? sinceBulk + 1 : 0;
      floor = Math.max(floor, account.used);
      account.used += ADVANCE;
      size -= 1;
      const item = account.waiting[bulk === null ? 'interactive' : 'bulk'].shift()!;
      return { item, companyId };
    },
    charge(companyId, cost) {
      const account = accounts.get(companyId) ?? { used: floor, waiting: { interactive: [], bulk: [] } };
      account.used += cost;
      accounts.set(companyId, account);
    },
    remove(item) {
      for (const { waiting } of accounts.values()) {
        for (const items of [waiting.interactive, waiting.bulk]) {
          const at = items.indexOf(item);
          if (at < 0) continue;
          items.splice(at, 1);
          size -= 1;
          return true;
        }
      }
      return false;
    },
    clear() {
      const items = [...accounts.values()].flatMap(({ waiting }) => [...waiting.interactive, ...waiting.bulk]);
      accounts.clear();
      size = 0;
      return items;
    },
    get size() {
      return size;
    },
  };
}
