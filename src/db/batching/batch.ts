import { channel } from 'node:diagnostics_channel';
import { monotonicMs } from '../../clock.ts';
import { Overloaded } from '../../errors.ts';
import { errorKind, isTracing, type Span, startSpan } from '../../lib/tracing/spans.ts';
import { WaitEstimate } from '../../lib/wait-estimate.ts';
import { isDataFault, isTimeout } from './batch-failure.ts';
import { runTraced } from './batch-spans.ts';
import type { Batcher, BatcherOptions, Settled } from './batcher.ts';

/** Each batch that starts is told here, to whoever measures. */
export const BATCH_CHANNEL = 'tradeloom.batch';

export interface BatchMessage {
  name: string;
  /** Members of the batch. */
  size: number;
}

const started = channel(BATCH_CHANNEL);

interface Member<In, Out> {
  item: In;
  /** When it came, in milliseconds of the monotonic clock. */
  since: number;
  /** From its arrival to its outcome, where its request is traced. */
  span: Span | null;
  resolve: (value: Out | Promise<Out>) => void;
  reject: (error: unknown) => void;
}

const SWEEP_MS = 250;

/** What of one key is on its way. */
interface Running {
  batches: number;
  members: number;
}

/**
 * Natural batching: while batches are on their way to the database the next one gathers; there is no timer, and an idle
 * batcher starts at the end of the current turn of the event loop. Beside a batch of its key another starts only once it
 * is as large: else the first to come after a response would leave in small batches, and all others wait behind them
 * (32 callers at once made batches of 4 instead of 16). A member that makes the whole batch fail (a
 * constraint that nobody foresaw) is found by running the members again in halves, so that it fails alone.
 */
export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): Batcher<In, Out> {
  const { name = 'other', key, run, maxSize, maxInFlight, maxWaiting = 20_000, maxWaitMs = 2_000 } = options;
  const spanName = `batch ${name}`;
  const maxPerKey = options.maxInFlightPerKey ?? maxInFlight;
  /** Insertion order is the order of service: a key that was served goes to the back. */
  const queues = new Map<number, Member<In, Out>[]>();
  const runningOf = new Map<number, Running>();
  let waiting = 0;
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
    estimate.took(group, members.length, queues.get(group)?.length ?? 0, monotonicMs());
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

  /** While anybody waits: those who have waited for too long are refused, however long the batches before them take. */
  function sweep(): void {
    const now = monotonicMs();
    // A process that stood still has not yet read what the database has sent meanwhile.
    const late = now - swept > 4 * SWEEP_MS;
    swept = now;
    for (const [group, queue] of late ? [] : queues) {
      const overdue = queue.findIndex((member) => now - member.since <= maxWaitMs);
      const members = overdue === -1 ? queue.splice(0) : queue.splice(0, overdue);
      if (queue.length === 0) queues.delete(group);
      estimate.took(group, 0, queue.length, now);
      waiting -= members.length;
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
      const queue = queues.get(group);
      const ahead = queue?.length ?? 0;
      const since = monotonicMs();
      const wait = estimate.waitOf(group, ahead, since);
      if (wait > maxWaitMs || waiting >= maxWaiting || ahead >= maxWaiting / 2) {
        return Promise.reject(new Overloaded(wait));
      }
      return new Promise<Out>((resolve, reject) => {
        const span = isTracing() ? startSpan(spanName) : null;
        const member = { item, since, span, resolve, reject };
        if (queue === undefined) queues.set(group, [member]);
        else queue.push(member);
        waiting++;
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
 * A batch that timed out is taken apart for so long: whoever may be at fault for it, all that fail so again afterwards fail
 * together. A statement takes up to 15 s and a lock up to 10, so that is mostly one try more for each half.
 */
const TAKEN_APART_MS = 10_000;

function refuse({ span, reject }: Pick<Member<never, never>, 'span' | 'reject'>, error: unknown): void {
  span?.fail(errorKind(error));
  span?.end();
  reject(error);
}
