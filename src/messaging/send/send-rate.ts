import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../clock.ts';

export interface PaceOptions {
  /** Messages per second; null: as fast as it goes. */
  rate: number | null;
  /**
   * Reserves the next time in which `n` messages may go, for this process alone; gives the milliseconds until it begins.
   * It lasts `n / rate` seconds.
   */
  lease(n: number): Promise<number>;
}

interface Waiting {
  n: number;
  go: () => void;
  fail: (error: unknown) => void;
}

/**
 * Resolves when the next `n` messages may go: `rate` of them per second in all processes together, evenly. The time is
 * leased for all that wait, a second of it at most; what a process that dies has leased is lost, never given out twice.
 */
export function createPace({ rate, lease }: PaceOptions): (n?: number) => Promise<void> {
  if (rate === null) return async () => {};
  const waiting: Waiting[] = [];
  let running = false;

  async function letGo(perSecond: number): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const some = [waiting.shift()!];
      let total = some[0]!.n;
      while (waiting.length > 0 && total + waiting[0]!.n <= perSecond) {
        total += waiting[0]!.n;
        some.push(waiting.shift()!);
      }
      try {
        let turn = monotonicMs() + (await lease(total));
        for (const { n, go } of some) {
          const wait = turn - monotonicMs();
          if (wait > 0) await pause(wait);
          go();
          turn += (n * 1_000) / perSecond;
        }
      } catch (error) {
        for (const { fail } of some) fail(error);
      }
    }
    running = false;
  }

  return (n = 1) =>
    new Promise((go, fail) => {
      waiting.push({ n, go, fail });
      if (!running) void letGo(rate);
    });
}
