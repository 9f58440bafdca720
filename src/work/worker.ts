import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { monotonicMs } from '../clock.ts';
import { PartlyFailed } from './sets.ts';
import { itemsDone, lastTurn, turnDuration, turnsFailed } from './worker-measures.ts';
import type { WorkerName } from './worker-names.ts';

/** A loop over due work: it runs again at once while there is some, otherwise after `idleMs` or when woken. */
export interface Worker {
  readonly name: WorkerName;
  start(): void;
  /** Polls now, because something may be due. */
  wake(): void;
  /** Runs one turn, for tests and the test clock, after a running turn of the loop. Returns the number of items done. */
  runOnce(): Promise<number>;
  /** When the worker's next item is due, or null; the test clock stops at these times. */
  nextDue(): Promise<Date | null>;
  /** Pauses the loop after the running turn; `runOnce` still works. */
  pause(): Promise<void>;
  resume(): void;
  /** Stops after the running turn. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  name: WorkerName;
  /** Processes one set of due items in its own transactions. Returns their number, 0 when nothing is due. */
  run: (signal: AbortSignal) => Promise<number>;
  /** For work with due times; returns the next one in the future. */
  nextDue?: () => Promise<Date | null>;
  idleMs: number;
  /**
   * After a turn with fewer than `below` items the loop sleeps for `ms`, even if woken, so that a trickle of items is processed
   * in sets, which costs a fraction.
   */
  gather?: { ms: number; below: number };
  log: Logger;
}

const MAX_BACKOFF_MS = 10_000;

export function createWorker(options: WorkerOptions): Worker {
  const { name, run, nextDue, idleMs, gather, log } = options;
  const ending = new AbortController();
  let loop: Promise<void> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let paused = false;
  let woken = false;
  let interrupt: (() => void) | undefined;

  /** Sleeps until woken, or for `ms`. Returns at once if woken before. */
  function rest(ms?: number): Promise<void> {
    if (woken || ending.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        interrupt = undefined;
        resolve();
      }
      interrupt = done;
    });
  }

  function restUnlessEnding(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: ending.signal }).catch(() => {});
  }

  async function measured(): Promise<number> {
    const began = monotonicMs();
    try {
      const done = await run(ending.signal);
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
  function takeTurn(): Promise<number> {
    const next = turn.then(measured);
    turn = next.catch(() => {});
    return next;
  }

  async function takeTurns(): Promise<void> {
    let failures = 0;
    while (!ending.signal.aborted) {
      woken = false;
      if (paused) {
        await rest();
        continue;
      }
      try {
        const done = await takeTurn();
        failures = 0;
        if (done === 0) await rest(idleMs);
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

  return {
    name,
    start() {
      loop ??= takeTurns();
    },
    wake,
    runOnce: takeTurn,
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
