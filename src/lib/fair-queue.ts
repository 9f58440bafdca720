/** `interactive`: somebody waits for the response. `bulk`: work in the background. */
export type Lane = 'interactive' | 'bulk';

export interface FairQueueOptions {
  /** Items of one company that wait in the interactive lane at most. The bulk lane is bounded by those who fill it. */
  maxWaiting: number;
}

export interface FairQueue<Item> {
  /** False, and not added, where so many of the company wait already. */
  add(item: Item, companyId: number, lane: Lane): boolean;
  /**
   * The next item of the companies that `mayRun`. Interactive items go before bulk items, except that bulk items get one
   * place in `BULK_SHARE`; within a lane the company that has used least goes first.
   */
  take(mayRun?: (companyId: number) => boolean): { item: Item; companyId: number } | undefined;
  /** What an item of the company cost, in a unit of the caller's, the same for all. */
  charge(companyId: number, cost: number): void;
  /** Takes out an item that waits; false where it does not. */
  remove(item: Item): boolean;
  /** All that wait, in no particular order. */
  clear(): Item[];
  readonly size: number;
}

/** Of so many items taken while both lanes have some, one is of the bulk lane: it must not starve. */
const BULK_SHARE = 4;
/** So much is charged for an item at once, so that one company's items do not all leave before the first is paid for. */
const ADVANCE = 1e-3;

interface Account<Item> {
  /** Virtual time: what the company has used, raised to that of the others when it comes back after a pause. */
  used: number;
  waiting: Record<Lane, Item[]>;
}

/**
 * A queue shared by companies: start-time fair queueing. Whoever used least goes first, so that many slow items of one
 * company delay another company's item by one of them at most, and a pause earns no credit. No timers, no I/O.
 */
export function createFairQueue<Item>({ maxWaiting }: FairQueueOptions): FairQueue<Item> {
  /** In the order in which they came to wait, which decides between equals. */
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
