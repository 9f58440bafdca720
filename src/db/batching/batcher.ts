import { channel } from 'node:diagnostics_channel';
import { monotonicMs } from '../../clock.ts';
import { AppError, Overloaded } from '../../errors.ts';
import { errorKind, isTracing, type Span, startSpan, within } from '../../lib/tracing/spans.ts';
import { WaitEstimate } from '../../lib/wait-estimate.ts';
import { sqlState } from '../pool.ts';
import { CommitUnknown } from '../unavailable.ts';

/** What became of one member of a batch. */
export type Settled<Out> = { ok: true; value: Out } | { ok: false; error: unknown };

interface BatcherOptions<In, Out> {
  /** What is batched, for measurements. */
  name?: string;
  /** Members with the same key (a company) may share a batch; others never do. */
  key: (item: In) => number;
  /**
   * Processes the whole batch in one transaction and settles each member, in order. If it throws, nothing of the batch
   * may have been committed (the transaction rolled back), except for `CommitUnknown`.
   */
  run: (key: number, items: In[]) => Promise<Settled<Out | Promise<Out>>[]>;
  /** Members of one batch at most. */
  maxSize: number;
  /** Batches in flight at once, over all keys. */
  maxInFlight: number;
  /** Batches of one key in flight at once; maxInFlight if absent. One makes the largest batches. */
  maxInFlightPerKey?: number;
  /** A caller that would wait longer is refused at once; one that has waited longer is refused then. 2 s by default. */
  maxWaitMs?: number;
  /** Callers waiting at most, half of them of one key. Beyond that, callers are refused at once. */
  maxWaiting?: number;
  /** Bytes that a member takes while it waits: the body of its request. */
  bytesOf?: (item: In) => number;
  /** Bytes waiting at most, half of them of one key; 64 MiB by default. Beyond that, callers are refused at once. */
  maxWaitingBytes?: number;
}

export interface Batcher<In, Out> {
  submit(item: In): Promise<Out>;
  /** Resolves when nothing waits or runs. */
  drained(): Promise<void>;
}

/** Diagnostics channel on which each batch is announced when it starts, for measurements. */
export const BATCH_CHANNEL = 'tradeloom.batch';

export interface BatchMessage {
  name: string;
  /** Members of the batch. */
  size: number;
}

const started = channel(BATCH_CHANNEL);

interface Member<In, Out> {
  item: In;
  bytes: number;
  /** When it arrived, in milliseconds of the monotonic clock. */
  since: number;
  /** From its arrival to its outcome, where its request is traced. */
  span: Span | null;
  resolve: (value: Out | Promise<Out>) => void;
  reject: (error: unknown) => void;
}

const SWEEP_MS = 250;

/** Waiting members of one key. */
interface Line<In, Out> {
  members: Member<In, Out>[];
  bytes: number;
}

/** Batches of one key in flight. */
interface Running {
  batches: number;
  members: number;
}

/**
 * Natural batching: while batches are in flight the next one gathers. There is no timer, and an idle batcher starts at
 * the end of the current turn of the event loop. While a batch of its key runs, another one starts only once it is as
 * large: otherwise the first callers after a response would leave in small batches, and all others would wait behind
 * them (32 concurrent callers made batches of 4 instead of 16). A member that makes the whole batch fail (a constraint
 * that nobody foresaw) is found by running the members again in halves, so that it fails alone.
 */
export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): Batcher<In, Out> {
  const { name = 'other', key, run, maxSize, maxInFlight, maxWaiting = 20_000, maxWaitMs = 2_000 } = options;
  const spanName = `batch ${name}`;
  const { bytesOf = () => 0, maxWaitingBytes = 64 * 2 ** 20 } = options;
  const maxPerKey = options.maxInFlightPerKey ?? maxInFlight;
  /** Insertion order is the order of service: a key that was served goes to the back. */
  const queues = new Map<number, Line<In, Out>>();
  const runningOf = new Map<number, Running>();
  let waiting = 0;
  let waitingBytes = 0;
  let inFlight = 0;
  let scheduled = false;
  const estimate = new WaitEstimate();
  let sweeping: NodeJS.Timeout | undefined;
  let swept = 0;
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
    for (const [group, { members }] of queues) if (mayStart(members.length, runningOf.get(group))) return group;
    return undefined;
  }

  function mayStart(size: number, running: Running | undefined): boolean {
    if (running === undefined) return true;
    return running.batches < maxPerKey && Math.min(size, maxSize) * running.batches >= running.members;
  }

  /** Takes the first `count` members out of their queue. */
  function leave(line: Line<In, Out>, count: number): Member<In, Out>[] {
    waiting -= count;
    if (count === line.members.length) {
      const { members } = line;
      waitingBytes -= line.bytes;
      line.members = [];
      line.bytes = 0;
      return members;
    }
    const members = line.members.splice(0, count);
    let bytes = 0;
    for (const member of members) bytes += member.bytes;
    waitingBytes -= bytes;
    line.bytes -= bytes;
    return members;
  }

  /** Whether so many more bytes of the queue's key may wait. Its first member may take more than a key's half. */
  function hasRoom(line: Line<In, Out> | undefined, bytes: number): boolean {
    if (waiting >= maxWaiting || waitingBytes + bytes > maxWaitingBytes) return false;
    if (line === undefined) return true;
    return line.members.length < maxWaiting / 2 && line.bytes + bytes <= maxWaitingBytes / 2;
  }

  /** Returns whether a batch was started. */
  function start(): boolean {
    const group = nextKey();
    if (group === undefined) return false;
    const line = queues.get(group)!;
    queues.delete(group);
    const members = leave(line, Math.min(line.members.length, maxSize));
    const left = line.members.length;
    if (left > 0) queues.set(group, line);
    estimate.took(group, 1, left, monotonicMs());
    inFlight++;
    const running = runningOf.get(group) ?? { batches: 0, members: 0 };
    runningOf.set(group, running);
    running.batches++;
    running.members += members.length;
    if (started.hasSubscribers) started.publish({ name, size: members.length } satisfies BatchMessage);
    const work = (): Promise<void> => settle(group, members);
    void (isTracing() ? runTraced(members, work) : work()).finally(() => {
      inFlight--;
      running.batches--;
      running.members -= members.length;
      if (running.batches === 0) runningOf.delete(group);
      schedule();
      tellDrained();
    });
    return true;
  }

  /** @param until when splitting after timeouts ends, in `monotonicMs`, counted from the first failure */
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
        for (const member of members) refuse(member, error);
        return;
      }
      const half = members.length >> 1;
      await settle(group, members.slice(0, half), end);
      await settle(group, members.slice(half), end);
      return;
    }
    members.forEach((member, i) => {
      const outcome = outcomes[i];
      if (outcome === undefined) refuse(member, new Error('The batch gave no outcome for one of its members'));
      else if (outcome.ok) {
        member.span?.end();
        member.resolve(outcome.value);
      } else refuse(member, outcome.error);
    });
  }

  /** Runs while callers wait: refuses those that have waited too long, however long the batches before them take. */
  function sweep(): void {
    const now = monotonicMs();
    // A process that was suspended has not yet read what the database has sent meanwhile.
    const late = now - swept > 4 * SWEEP_MS;
    swept = now;
    for (const [group, line] of late ? [] : queues) {
      const inTime = line.members.findIndex((member) => now - member.since <= maxWaitMs);
      const members = leave(line, inTime === -1 ? line.members.length : inTime);
      if (line.members.length === 0) queues.delete(group);
      estimate.took(group, 0, line.members.length, now);
      for (const member of members) refuse(member, new Overloaded(maxWaitMs));
    }
    if (waiting > 0) return;
    clearInterval(sweeping);
    sweeping = undefined;
    tellDrained();
  }

  function tellDrained(): void {
    if (inFlight > 0 || waiting > 0) return;
    for (const done of onDrained) done();
    onDrained = [];
  }

  function watch(now: number): void {
    if (sweeping !== undefined) return;
    swept = now;
    sweeping = setInterval(sweep, SWEEP_MS);
    sweeping.unref();
  }

  return {
    submit(item) {
      const group = key(item);
      const line = queues.get(group);
      const since = monotonicMs();
      // In batches: those that wait are taken together.
      const wait = estimate.waitOf(group, Math.floor((line?.members.length ?? 0) / maxSize), since);
      const bytes = bytesOf(item);
      if (wait > maxWaitMs || !hasRoom(line, bytes)) return Promise.reject(new Overloaded(wait));
      return new Promise<Out>((resolve, reject) => {
        const span = isTracing() ? startSpan(spanName) : null;
        const member = { item, bytes, since, span, resolve, reject };
        if (line === undefined) queues.set(group, { members: [member], bytes });
        else {
          line.members.push(member);
          line.bytes += bytes;
        }
        waiting++;
        waitingBytes += bytes;
        estimate.waits(group, since);
        watch(since);
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
 * A batch that timed out is split for so long; members of batches that time out after that fail together, whichever of
 * them may be at fault. A statement takes up to 15 s and a lock up to 10, so mostly each half is tried once more.
 */
const TAKEN_APART_MS = 10_000;

function refuse({ span, reject }: Pick<Member<never, never>, 'span' | 'reject'>, error: unknown): void {
  span?.fail(errorKind(error));
  span?.end();
  reject(error);
}

/** Requests that a batch links to, in addition to the one whose trace contains its transaction. */
const MOST_LINKS = 32;

/**
 * Runs a batch within the trace of the first member that is traced, linked to the others: one transaction cannot be
 * part of several traces. Without a traced member it belongs to no trace, since whichever request came last started it.
 */
function runTraced(members: readonly { span: Span | null }[], work: () => Promise<void>): Promise<void> {
  const spans = members.flatMap(({ span }) => (span === null ? [] : [span]));
  const [first, ...others] = spans;
  for (const span of spans) span.set({ 'tradeloom.batch.size': members.length });
  for (const other of others.slice(0, MOST_LINKS)) {
    first!.link(other);
    other.link(first!);
  }
  return within(first ?? null, work);
}

/** Whether a lock or a whole statement timed out: perhaps because of one member, perhaps because the database is slow. */
function isTimeout(error: unknown): boolean {
  return /^(55P03|57014)$/.test(sqlState(error));
}

/**
 * Whether to run the batch again in halves. That is right where the transaction is known to be rolled back because of
 * what was in it: the database refused a statement for its data or its cost, or the program threw. A COMMIT of unknown
 * outcome must never be repeated, and a lost connection or a server that is down fails all members alike.
 */
export function isDataFault(error: unknown): boolean {
  if (error instanceof CommitUnknown) return false;
  if (error instanceof AppError || error instanceof TypeError || error instanceof RangeError) return true;
  return /^(22|23|P0|40|54|57014)/.test(sqlState(error));
}
