import { monotonicMs } from '../clock.ts';
import { Overloaded } from '../errors.ts';

/** `interactive`: somebody waits for the response. `bulk`: background work. */
export type Priority = 'interactive' | 'bulk';

/** A company, or the network of a client whose company is not known. */
export type Owner = number | string;

export interface FairQueueOptions {
  /** What all owners together may hold, in the unit of the costs: threads, calls, bytes. */
  capacity: number;
  /** What one owner may hold; half of the capacity by default. An owner that holds nothing gets one entry of any cost. */
  share?: number;
  /** Interactive entries of one owner that may wait. With 0, the default, an entry that cannot start at once is refused. */
  maxWaiting?: number;
  /** How long an interactive entry waits before it is refused. */
  maxWaitMs?: number;
  /** Creates the error of a refused entry, which says when to retry; `Overloaded` by default. */
  refusal?: () => Error;
}

/** What an owner holds of the capacity. */
export interface Hold {
  /** Gives back all but `cost`. */
  reduceTo(cost: number): void;
  /** Gives everything back; later calls have no effect. */
  release(): void;
}

export interface EntryOptions {
  cost?: number;
  priority?: Priority;
}

/** While entries of both priorities wait, one in so many is bulk: it must not starve. */
const BULK_SHARE = 4;
/** Charged when an entry starts, so that one owner's entries do not all start before the cost of the first is known. */
const ADVANCE = 1e-3;

interface Entry {
  cost: number;
  start(hold: Hold): void;
  refuse(error: Error): void;
}

interface Account {
  held: number;
  /** Virtual time: the share of the capacity that the owner held, times milliseconds. */
  used: number;
  waiting: Record<Priority, Entry[]>;
}

/**
 * The one way in which companies share what a process has little of: a capacity, a share of it for each owner, a queue of limited length and
 * time, and a refusal with Retry-After. Start-time fair queueing: the owner that used least goes first, so that many slow entries of one
 * owner delay another owner's entry by one of them at most, and a pause earns no credit. See docs/design/fairness.md.
 */
export class FairQueue {
  private readonly capacity: number;
  private readonly share: number;
  private readonly options: FairQueueOptions;
  /** Owners that hold something or wait; while anybody waits, also those that did before. */
  private readonly accounts = new Map<Owner, Account>();
  private total = 0;
  private size = 0;
  /** The virtual time of the owner that was served last: where newcomers start. */
  private floor = 0;
  private sinceBulk = 0;
  private closed: Error | null = null;
  private onIdle: (() => void)[] = [];

  constructor(options: FairQueueOptions) {
    this.options = options;
    this.capacity = options.capacity;
    this.share = options.share ?? options.capacity / 2;
  }

  /** What all owners hold. */
  get held(): number {
    return this.total;
  }

  get waiting(): number {
    return this.size;
  }

  heldBy(owner: Owner): number {
    return this.accounts.get(owner)?.held ?? 0;
  }

  /** What the owner may still take without waiting. */
  freeFor(owner: Owner): number {
    return this.size > 0 ? 0 : Math.max(0, Math.min(this.share - this.heldBy(owner), this.capacity - this.total));
  }

  /** Waits until the owner may hold the cost. Rejects with the refusal. */
  take(owner: Owner, { cost = 1, priority = 'interactive' }: EntryOptions = {}): Promise<Hold> {
    if (this.closed !== null) return Promise.reject(this.closed);
    const hold = this.tryTake(owner, cost);
    if (hold !== null) return Promise.resolve(hold);
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const entry: Entry = {
        cost,
        start(begun) {
          clearTimeout(timer);
          resolve(begun);
        },
        refuse(error) {
          clearTimeout(timer);
          reject(error);
        },
      };
      const line = this.accountOf(owner).waiting[priority];
      line.push(entry);
      this.size += 1;
      this.serve();
      if (priority === 'bulk') return;
      const { maxWaiting = 0, maxWaitMs } = this.options;
      // It may have started, although others wait whose share is used up.
      if (line.at(-1) !== entry) return;
      if (line.length > maxWaiting) this.giveUp(owner, entry);
      else if (maxWaitMs !== undefined) timer = setTimeout(() => this.giveUp(owner, entry), maxWaitMs);
    });
  }

  /** Runs the work once the owner may. Rejects with the refusal, or as the work does. */
  async run<T>(owner: Owner, work: () => Promise<T>, options?: EntryOptions): Promise<T> {
    const hold = await this.take(owner, options);
    try {
      return await work();
    } finally {
      hold.release();
    }
  }

  /** Does not wait; returns null where the owner may not hold the cost now. */
  tryTake(owner: Owner, cost = 1): Hold | null {
    const fits = this.size === 0 && this.fitsShare(owner, cost) && this.fitsCapacity(cost);
    return fits && this.closed === null ? this.hold(owner, cost) : null;
  }

  /** Does not wait. Throws the refusal. */
  takeNow(owner: Owner, cost = 1): Hold {
    const hold = this.tryTake(owner, cost);
    if (hold === null) throw this.refusal();
    return hold;
  }

  /** Counts what the owner holds already, whatever the limits. */
  hold(owner: Owner, cost: number): Hold {
    const account = this.accountOf(owner);
    this.floor = Math.max(this.floor, account.used);
    account.used += ADVANCE;
    account.held += cost;
    this.total += cost;
    let own = cost;
    let since = monotonicMs();
    const reduceTo = (left: number): void => {
      if (left >= own) return;
      const now = monotonicMs();
      account.used += ((now - since) * own) / this.capacity;
      since = now;
      account.held -= own - left;
      this.total -= own - left;
      own = left;
      this.serve();
      this.forget(owner, account);
    };
    return { reduceTo, release: () => reduceTo(0) };
  }

  /** Throws the refusal while the owner holds its share, or more than `little` of a capacity that is used up. */
  refuseOver(owner: Owner, little = 0): void {
    const own = this.heldBy(owner);
    if (own >= this.share || (own > little && this.total >= this.capacity)) throw this.refusal();
  }

  /** Resolves when nobody holds anything or waits. */
  async idle(): Promise<void> {
    if (this.total > 0 || this.size > 0) await new Promise<void>((resolve) => this.onIdle.push(resolve));
  }

  /** Rejects everything that waits, and whatever comes later. */
  close(error: Error): void {
    this.closed = error;
    const lines = [...this.accounts.values()].flatMap(({ waiting }) => [waiting.interactive, waiting.bulk]);
    for (const entry of lines.flatMap((line) => line.splice(0))) entry.refuse(error);
    this.size = 0;
  }

  private refusal(): Error {
    const { refusal, maxWaitMs } = this.options;
    return refusal?.() ?? new Overloaded(maxWaitMs);
  }

  private fitsShare(owner: Owner, cost: number): boolean {
    const own = this.heldBy(owner);
    return own === 0 || own + cost <= this.share;
  }

  private fitsCapacity(cost: number): boolean {
    return this.total === 0 || this.total + cost <= this.capacity;
  }

  private accountOf(owner: Owner): Account {
    let account = this.accounts.get(owner);
    if (account === undefined) {
      account = { held: 0, used: this.floor, waiting: { interactive: [], bulk: [] } };
      this.accounts.set(owner, account);
    }
    if (isIdle(account)) account.used = Math.max(account.used, this.floor);
    return account;
  }

  private giveUp(owner: Owner, entry: Entry): void {
    const line = this.accounts.get(owner)!.waiting.interactive;
    line.splice(line.indexOf(entry), 1);
    this.size -= 1;
    entry.refuse(this.refusal());
    // A large entry holds back smaller ones behind it.
    this.serve();
  }

  /** Starts what may start. */
  private serve(): void {
    if (this.size > 0) {
      for (let next = this.next(); next !== null; next = this.next())
        next.entry.start(this.hold(next.owner, next.entry.cost));
    }
    if (this.size === 0) for (const [owner, account] of this.accounts) this.forget(owner, account);
    if (this.total === 0 && this.size === 0) for (const resolve of this.onIdle.splice(0)) resolve();
  }

  private next(): { owner: Owner; entry: Entry } | null {
    const interactive = this.first('interactive');
    const bulk = interactive !== null && this.sinceBulk < BULK_SHARE - 1 ? null : this.first('bulk');
    const owner = bulk ?? interactive;
    if (owner === null) return null;
    const line = this.accounts.get(owner)!.waiting[bulk === null ? 'interactive' : 'bulk'];
    // Where its turn has come it waits for what is free, instead of being overtaken by smaller ones for ever.
    if (!this.fitsCapacity(line[0]!.cost)) return null;
    this.sinceBulk = bulk === null ? this.sinceBulk + 1 : 0;
    this.size -= 1;
    return { owner, entry: line.shift()! };
  }

  /** Returns the owner that used least of those whose first entry fits into their share. */
  private first(priority: Priority): Owner | null {
    let best: Owner | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const [owner, { used, waiting }] of this.accounts) {
      const entry = waiting[priority][0];
      if (entry === undefined || used >= least || !this.fitsShare(owner, entry.cost)) continue;
      best = owner;
      least = used;
    }
    return best;
  }

  /** What an owner used counts only while it competes with others that wait. */
  private forget(owner: Owner, account: Account): void {
    if (isIdle(account) && (this.size === 0 || account.used <= this.floor)) this.accounts.delete(owner);
  }
}

function isIdle({ held, waiting }: Account): boolean {
  return held === 0 && waiting.interactive.length + waiting.bulk.length === 0;
}
