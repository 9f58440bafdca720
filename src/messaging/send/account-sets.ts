import type { FoundWork } from '../ledger/due-queries.ts';

export interface AccountSetsOptions<Set extends readonly unknown[]> {
  /** Claims a set of one company's work. */
  take(work: FoundWork[]): Promise<Set>;
  send(companyId: number, set: Set): Promise<void>;
  /** A failure affects only its company: its claims expire, and its messages are sent again. */
  onError(error: unknown, companyId: number): void;
}

/** Sets of companies with accounts of their own, which run concurrently and independently of each other. */
export interface AccountSets {
  /** Starts sets for each company below its limit of sets in progress; returns at once. */
  begin(found: readonly FoundWork[]): void;
  /** Number of sets in progress. */
  running(): number;
  /** Resolves when the next set with messages has ended. */
  next(): Promise<void>;
  /** Returns how many messages were in the sets that ended since the last call. */
  sent(): number;
}

/** Per company: while one set is handed over, the next is composed. */
const PER_COMPANY = 2;
/** In total: each set holds claims, which are renewed every ten seconds. */
const IN_ALL = 200;

export function createAccountSets<Set extends readonly unknown[]>(options: AccountSetsOptions<Set>): AccountSets {
  const { take, send, onError } = options;
  const underWay = new Map<number, number>();
  const waiting: (() => void)[] = [];
  let running = 0;
  let sent = 0;

  async function run(companyId: number, work: FoundWork[]): Promise<void> {
    underWay.set(companyId, (underWay.get(companyId) ?? 0) + 1);
    running += 1;
    let taken = 0;
    try {
      const set = await take(work);
      taken = set.length;
      if (taken > 0) await send(companyId, set);
    } catch (error) {
      onError(error, companyId);
    } finally {
      const left = underWay.get(companyId)! - 1;
      if (left === 0) underWay.delete(companyId);
      else underWay.set(companyId, left);
      running -= 1;
      sent += taken;
      // A set that found nothing is no reason to look again at once.
      if (taken > 0) for (const resolve of waiting.splice(0)) resolve();
    }
  }

  return {
    begin(found) {
      for (const [companyId, work] of Map.groupBy(found, (one) => one.company_id)) {
        if (running >= IN_ALL) return;
        if ((underWay.get(companyId) ?? 0) < PER_COMPANY) void run(companyId, work);
      }
    },
    running: () => running,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    sent() {
      const before = sent;
      sent = 0;
      return before;
    },
  };
}
