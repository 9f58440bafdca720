import { channel } from 'node:diagnostics_channel';
import { monotonicMs } from '../../clock.ts';
import { Overloaded } from '../../errors.ts';
import { errorKind, isTracing, type Span, startSpan } from '../../lib/tracing/spans.ts';
import { WaitEstimate } from '../../lib/wait-estimate.ts';
import { isDataFault, isTimeout } from './batch-failure.ts';
import { runTraced } from './batch-spans.ts';
import type { Batcher, BatcherOptions, Settled } from './batcher.ts';

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
    estimate.took(group, members.length, left, monotonicMs());
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
      const wait = estimate.waitOf(group, line?.members.length ?? 0, since);
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
