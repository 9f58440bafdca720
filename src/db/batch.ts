import { channel } from 'node:diagnostics_channel';
import { monotonicMs } from '../clock.ts';
import { AppError } from '../errors.ts';
import { CommitUnknown, sqlState } from './pool.ts';

/** What became of one member of a batch. */
export type Settled<Out> = { ok: true; value: Out } | { ok: false; error: unknown };

/** Each batch that starts is told here, to whoever measures. */
export const BATCH_CHANNEL = 'tradeloom.batch';

export interface BatchMessage {
  name: string;
  /** Members of the batch. */
  size: number;
}

const started = channel(BATCH_CHANNEL);

export interface BatcherOptions<In, Out> {
  /** What is batched, for measurements. */
  name?: string;
  /** Members with the same key (a company) may share a batch; others never do. */
  key: (item: In) => number;
  /**
   * Does the whole batch in one transaction and settles each member, in order. If it throws, nothing of the batch may
   * have happened (the transaction rolled back), except for `CommitUnknown`.
   */
  run: (key: number, items: In[]) => Promise<Settled<Out | Promise<Out>>[]>;
  /** Members of one batch at most. */
  maxSize: number;
  /** Batches on their way at once, over all keys. */
  maxInFlight: number;
  /** Batches of one key on their way at once; maxInFlight where absent. One makes the largest batches. */
  maxInFlightPerKey?: number;
  /** Callers waiting at most; one more is refused at once, so that memory stays bounded. */
  maxWaiting?: number;
}

export interface Batcher<In, Out> {
  submit(item: In): Promise<Out>;
  /** Resolves when nothing waits or runs. */
  drained(): Promise<void>;
}

interface Member<In, Out> {
  item: In;
  resolve: (value: Out | Promise<Out>) => void;
  reject: (error: unknown) => void;
}

/** What of one key is on its way. */
interface Running {
  batches: number;
  members: number;
}

/**
 * Natural batching: while batches are on their way to the database the next one gathers; there is no timer, and an idle
 * batcher starts at the end of the current turn of the event loop. Beside a batch of its key another starts only once it
 * is as large: else the first to come after an answer would leave in small batches, and all others wait behind them
 * (32 callers at once made batches of 4 instead of 16). A member that makes the whole batch fail (a
 * constraint that nobody foresaw) is found by running the members again in halves, so that it fails alone.
 */
export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): Batcher<In, Out> {
  const { name = 'other', key, run, maxSize, maxInFlight, maxWaiting = 20_000 } = options;
  const maxPerKey = options.maxInFlightPerKey ?? maxInFlight;
  /** Insertion order is the order of service: a key that was served goes to the back. */
  const queues = new Map<number, Member<In, Out>[]>();
  const runningOf = new Map<number, Running>();
  let waiting = 0;
  let inFlight = 0;
  let scheduled = false;
  let onDrained: (() => void)[] = [];

  function schedule(): void {
    if (scheduled || inFlight >= maxInFlight || waiting === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      while (inFlight < maxInFlight && start());
    });
  }

  /** The key that has waited longest of those that may start a batch. */
  function nextKey(): number | undefined {
    for (const [group, queue] of queues) if (mayStart(queue.length, runningOf.get(group))) return group;
    return undefined;
  }

  function mayStart(size: number, running: Running | undefined): boolean {
    if (running === undefined) return true;
    return running.batches < maxPerKey && Math.min(size, maxSize) * running.batches >= running.members;
  }

  /** Gives whether a batch was started. */
  function start(): boolean {
    const group = nextKey();
    if (group === undefined) return false;
    const queue = queues.get(group)!;
    queues.delete(group);
    const members = queue.length <= maxSize ? queue : queue.splice(0, maxSize);
    if (members !== queue) queues.set(group, queue);
    waiting -= members.length;
    inFlight++;
    const running = runningOf.get(group) ?? { batches: 0, members: 0 };
    runningOf.set(group, running);
    running.batches++;
    running.members += members.length;
    if (started.hasSubscribers) started.publish({ name, size: members.length } satisfies BatchMessage);
    void settle(group, members).finally(() => {
      inFlight--;
      running.batches--;
      running.members -= members.length;
      if (running.batches === 0) runningOf.delete(group);
      schedule();
      if (inFlight === 0 && waiting === 0) {
        for (const done of onDrained) done();
        onDrained = [];
      }
    });
    return true;
  }

  /** @param until when taking apart for time-outs ends, in `monotonicMs`; from the first failure on */
  async function settle(group: number, members: Member<In, Out>[], until?: number): Promise<void> {
    let outcomes: Settled<Out | Promise<Out>>[];
    try {
      outcomes = await run(
        group,
        members.map((member) => member.item),
      );
    } catch (error) {
      const end = until ?? monotonicMs() + TAKEN_APART_MS;
      const takesApart = isTimeout(error) ? monotonicMs() < end : isDataFault(error);
      if (members.length === 1 || !takesApart) {
        for (const member of members) member.reject(error);
        return;
      }
      const half = members.length >> 1;
      await settle(group, members.slice(0, half), end);
      await settle(group, members.slice(half), end);
      return;
    }
    members.forEach((member, i) => {
      const outcome = outcomes[i];
      if (outcome === undefined) member.reject(new Error('The batch gave no outcome for one of its members'));
      else if (outcome.ok) member.resolve(outcome.value);
      else member.reject(outcome.error);
    });
  }

  return {
    submit(item) {
      if (waiting >= maxWaiting) return Promise.reject(new AppError('internal', 'Too many requests are waiting'));
      return new Promise<Out>((resolve, reject) => {
        const group = key(item);
        const member = { item, resolve, reject };
        const queue = queues.get(group);
        if (queue === undefined) queues.set(group, [member]);
        else queue.push(member);
        waiting++;
        schedule();
      });
    },
    drained() {
      if (inFlight === 0 && waiting === 0) return Promise.resolve();
      return new Promise((resolve) => onDrained.push(resolve));
    },
  };
}

/**
 * A batch that timed out is taken apart for so long: whoever may be at fault for it, all that fail so again afterwards fail
 * together. A statement takes up to 15 s and a lock up to 10, so that is mostly one try more for each half.
 */
const TAKEN_APART_MS = 10_000;

/** Whether a lock or a whole statement took too long: perhaps for one member, perhaps because the database is slow. */
function isTimeout(error: unknown): boolean {
  return /^(55P03|57014)$/.test(sqlState(error));
}

/**
 * Running again in halves is right where the transaction is known to be undone because of what was in it: the database
 * refused a statement for its data or its cost, or the program threw. A COMMIT of unknown outcome must never be run
 * again, and a lost connection or a server that is down answers everybody alike.
 */
export function isDataFault(error: unknown): boolean {
  if (error instanceof CommitUnknown) return false;
  if (error instanceof AppError || error instanceof TypeError || error instanceof RangeError) return true;
  return /^(22|23|P0|40|54|57014)/.test(sqlState(error));
}
