import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';

/** Resolves when the next message may go: `rate` of them per second, evenly; at once without a rate. */
export function createPace(rate: number | null): () => Promise<void> {
  if (rate === null) return async () => {};
  let next = 0;
  return async () => {
    const now = monotonicMs();
    const turn = Math.max(now, next);
    next = turn + 1_000 / rate;
    if (turn > now) await pause(turn - now);
  };
}
