import { createFairQueue } from '../fair-queue.ts';

export interface TurnOptions {
  maxAtOnce: number;
  /** Of one company; more are refused. */
  maxWaiting: number;
  maxWaitMs: number;
  /** What those are refused with that would wait too long. */
  refusal: () => Error;
}

type Turn = <T>(companyId: number, work: () => Promise<T>) => Promise<T>;

/**
 * For work that takes a processor for long, in the event loop or in Node's own threads, of which there are four for everything: runs at
 * most `maxAtOnce` at a time, with companies in turn, and rejects callers that would wait too long.
 */
export function createTurns({ maxAtOnce, maxWaiting, maxWaitMs, refusal }: TurnOptions): Turn {
  const waiting = createFairQueue<() => void>({ maxWaiting });
  let running = 0;

  function wait(companyId: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        if (waiting.remove(start)) reject(refusal());
      }, maxWaitMs);
      if (waiting.add(start, companyId, 'interactive')) return;
      clearTimeout(timer);
      reject(refusal());
    });
  }

  return async (companyId, work) => {
    if (running < maxAtOnce) running++;
    else await wait(companyId);
    try {
      return await work();
    } finally {
      waiting.charge(companyId, 1);
      // The next one takes over this slot, so `running` stays unchanged.
      const next = waiting.take();
      if (next === undefined) running--;
      else next.item();
    }
  };
}
