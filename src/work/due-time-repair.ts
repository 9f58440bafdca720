import { CLOCK_SKEW_MS, type Clock } from '../clock.ts';
import type { Slice } from '../lib/slice.ts';

/** Maximum rows that one statement makes due; it takes about 20 ms. */
const ROWS = 500;

/** Makes at most `limit` rows that are due later than `latest` due at `now`. */
export interface DueTimeRepair {
  now: Date;
  latest: Date;
  limit: number;
}

/**
 * Repairs due times that are further ahead than the longest delay of their schedule, `longestMs`: they were written while a
 * clock was ahead. `pull` makes rows due and returns their number. Not for times that people choose, such as delays in flows,
 * which have no upper bound.
 */
export function repairDueTimes(
  clock: Clock,
  longestMs: number,
  pull: (of: DueTimeRepair) => Promise<number>,
): Slice<true> {
  return async () => {
    const now = clock.now();
    const done = await pull({ now, latest: new Date(now.getTime() + longestMs + CLOCK_SKEW_MS), limit: ROWS });
    return { done, next: done < ROWS ? null : true };
  };
}
