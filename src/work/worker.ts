import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Writes } from '../access/company-versions.ts';
import { type Clock, monotonicMs } from '../clock.ts';
import { PartlyFailed } from './sets.ts';
import { itemsDone, lastTurn, turnDuration, turnsFailed } from './worker-measures.ts';
import type { WorkerName } from './worker-names.ts';

/** Lets an idle worker rest until something was written or comes due. */
export interface Idling {
  writes: Writes;
  clock: Clock;
}

/**
 * A loop over due work: it runs again at once while there is some. After a turn without work it rests for `idleMs`; with `idling`, also until
 * the database is written to or the next item is due, but for at most `mostIdleMs`.
 */
export interface Worker {
  readonly name: WorkerName;
  start(idling?: Idling): void;
  /** Polls now, because something may be due. */
  wake(): void;
  /** Runs one turn, for tests and the test clock, after a running turn of the loop. Returns the number of items done. */
  runOnce(): Promise<number>;
  /** When the worker's next item after the time is due, or null; the test clock stops at these times. */
  nextDue(after: Date): Promise<Date | null>;
  /** Pauses the loop after the running turn; `runOnce` still works. */
  pause(): Promise<void>;
  resume(): void;
  /** Stops after the running turn. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  name: WorkerName;
  /** Processes one set of due items in its own transactions. Returns their number, 0 when nothing is due. `idling`: in turns of the loop. */
  run: (signal: AbortSignal, idling?: Idling) => Promise<number>;
  /** For work with due times; returns the next one after the given time. */
  nextDue?: (after: Date) => Promise<Date | null>;
  idleMs: number;
  /** The longest rest while nothing is written: for leases that expire, and for what other clocks make due. */
  mostIdleMs?: number;
  /**
   * After a turn with fewer than `below` items the loop sleeps for `ms`, even if woken, so that a trickle of items is processed
   * in sets, which costs a fraction.
   */
  gather?: { ms: number; below: number };
  log: Logger;
}

const MAX_BACKOFF_MS = 10_000;
const MOST_IDLE_MS = 5_000;

export function createWorker(options: WorkerOptions): Worker {
  const { name, run, nextDue, idleMs, mostIdleMs = MOST_IDLE_MS, gather, log } = options;
  const ending = new AbortController();
  let loop: Promise<void> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let paused = false;
  let woken = false;
  let interrupt: (() => void) | undefined;
  let waitsForWrites = false;

  /** Sleeps until woken, or for `ms`; returns at once if woken before. With `written`, sleeps until the database is written to as well. */
  function rest(ms?: number, until?: 'written'): Promise<void> {
    if (woken || ending.signal.aborted) return Promise.resolve();
    waitsForWrites = until === 'written';
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        interrupt = undefined;
        waitsForWrites = false;
        resolve();
      }
      interrupt = done;
    });
  }

  function restUnlessEnding(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: ending.signal }).catch(() => {});
  }

  async function measured(idling?: Idling): Promise<number> {
    const began = monotonicMs();
    try {
      const done = await run(ending.signal, idling);
      if (done > 0) {
        turnDuration.observe({ worker: name }, (monotonicMs() - began) / 1_000);
        itemsDone.inc({ worker: name }, done);
      }
      return done;
    } catch (error) {
      turnsFailed.inc({ worker: name });
      throw error;
    } finally {
      lastTurn.setToCurrentTime({ worker: name });
    }
  }

  /** Turns run one at a time. */
  function takeTurn(idling?: Idling): Promise<number> {
    const next = turn.then(() => measured(idling));
    turn = next.catch(() => {});
    return next;
  }

  /**
   * Rests until there may be work again. `before`: the writes and the time before the turn without work, so that nothing is missed that
   * was written or came due since.
   */
  async function restUntilWork(
    before: { mark: string; at: Date } | undefined,
    idling: Idling | undefined,
  ): Promise<void> {
    await rest(idleMs);
    if (before === undefined || idling === undefined || woken || idleMs >= mostIdleMs) return;
    const { writes, clock } = idling;
    const { mark, at } = before;
    if (writes.mark() !== mark) return;
    const due = (await nextDue?.(at)) ?? null;
    const dueMs = due === null ? mostIdleMs : due.getTime() - clock.now().getTime();
    if (writes.mark() === mark) await rest(Math.max(0, Math.min(mostIdleMs - idleMs, dueMs)), 'written');
  }

  async function takeTurns(idling: Idling | undefined): Promise<void> {
    let failures = 0;
    while (!ending.signal.aborted) {
      woken = false;
      const before = idling && { mark: idling.writes.mark(), at: idling.clock.now() };
      if (paused) {
        await rest();
        continue;
      }
      try {
        const done = await takeTurn(idling);
        failures = 0;
        if (done === 0) await restUntilWork(before, idling);
        else if (gather !== undefined && done < gather.below) await restUnlessEnding(gather.ms);
      } catch (error) {
        failures++;
        log.error({ err: error, worker: name, failures }, 'worker turn failed');
        await rest(
          error instanceof PartlyFailed ? idleMs : Math.min(MAX_BACKOFF_MS, idleMs * 2 ** Math.min(failures, 10)),
        );
      }
    }
  }

  function wake(): void {
    woken = true;
    interrupt?.();
  }

  function wakeIfWaiting(): void {
    if (waitsForWrites) interrupt?.();
  }

  return {
    name,
    start(idling) {
      idling?.writes.watch(() => wakeIfWaiting());
      loop ??= takeTurns(idling);
    },
    wake,
    runOnce: () => takeTurn(),
    nextDue: nextDue ?? (() => Promise.resolve(null)),
    async pause() {
      paused = true;
      await turn;
    },
    resume() {
      paused = false;
      wake();
    },
    async stop() {
      ending.abort();
      interrupt?.();
      await loop;
    },
  };
}
