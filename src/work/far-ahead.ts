import { CLOCK_SKEW_MS, type Clock } from '../clock.ts';
import type { Slice } from '../lib/slice.ts';

/** Rows that one statement makes due at most: some 20 ms. */
const ROWS = 500;

/** What is due later than `latest` becomes due `now`: so many rows at most. */
export interface FarAhead {
  now: Date;
  latest: Date;
  limit: number;
}

/**
 * Upkeep of work that waits for a moment which its schedule cannot have named: one further ahead than its longest pause,
 * `longestMs`, was written by a clock that was ahead, and nobody is to wait for it. `pull` makes some of it due and
 * gives how much. Not for moments that people choose, such as those of delays in flows: these have no bound.
 */
export function pullBack(clock: Clock, longestMs: number, pull: (of: FarAhead) => Promise<number>): Slice<true> {
  return async () => {
    const now = clock.now();
    const done = await pull({ now, latest: new Date(now.getTime() + longestMs + CLOCK_SKEW_MS), limit: ROWS });
    return { done, next: done < ROWS ? null : true };
  };
}
