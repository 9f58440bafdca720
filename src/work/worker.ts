import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { PartlyFailed } from './sets.ts';
import type { WorkerName } from './worker-names.ts';

/** A loop over due work: asks again at once while there is some, else after `idleMs` or when woken. */
export interface Worker {
  readonly name: WorkerName;
  start(): void;
  /** Something may be due: look now. */
  wake(): void;
  /** One turn, for tests and for the test clock; gives how much it did. Waits for a turn of the loop's own. */
  runOnce(): Promise<number>;
  /** The next moment at which something of its work is due, or null: what the test clock steps through. */
  nextDue(): Promise<Date | null>;
  /** Holds the loop once the turn in progress is done; `runOnce` goes on working. */
  pause(): Promise<void>;
  resume(): void;
  /** Finishes the turn in progress and ends. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  name: WorkerName;
  /** Does one set of due work in transactions of its own; gives how many items it did, 0 when nothing is due. */
  run: (signal: AbortSignal) => Promise<number>;
  /** For work that waits for a moment; moments that have passed do not count as next. */
  nextDue?: () => Promise<Date | null>;
  idleMs: number;
  /**
   * After a turn of fewer items than `below` the loop rests for `ms`, woken or not: work that comes in drops is then done
   * in sets, which cost a fraction.
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

  /** Waits, unless woken before or meanwhile; for ever without `ms`. */
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

  /** One turn at a time, whoever asks. */
  function takeTurn(): Promise<number> {
    const next = turn.then(() => run(ending.signal));
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
