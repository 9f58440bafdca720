import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';

/** Resolves when the next `n` messages may go: `rate` of them per second, evenly; at once without a rate. */
export function createPace(rate: number | null): (n?: number) => Promise<void> {
  if (rate === null) return async () => {};
  let next = 0;
  return async (n = 1) => {
    const now = monotonicMs();
    const turn = Math.max(now, next);
    next = turn + (n * 1_000) / rate;
    if (turn > now) await pause(turn - now);
  };
}
