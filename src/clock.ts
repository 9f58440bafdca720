/** The only module that reads the system clock. Everything else takes a `Clock` or a time. */
export interface Clock {
  /** The present time of the product (a test clock may run ahead of the machine's). */
  now(): Date;
}

export const systemClock: Clock = {
  now: () => new Date(),
};

/**
 * How much the clocks of cooperating machines may differ. A stored time further in the future than this was written by
 * a wrong clock and must not be waited for.
 */
export const CLOCK_SKEW_MS = 5 * 60_000;

/** Milliseconds from an arbitrary start that never go back: for durations and timeouts, not for dates. */
export function monotonicMs(): number {
  return performance.now();
}

/** A clock that can be advanced, to try out in seconds what takes months; it keeps ticking from there. */
export interface MovableClock extends Clock {
  /** Advances the clock to the time; a time in the past changes nothing. */
  advanceTo(moment: Date): void;
  /** Milliseconds by which it is ahead of the machine's clock. */
  readonly offset: number;
}

export function createMovableClock(offset = 0, base: Clock = systemClock): MovableClock {
  let ahead = offset;
  return {
    now: () => new Date(base.now().getTime() + ahead),
    advanceTo: (moment) => {
      ahead = Math.max(ahead, moment.getTime() - base.now().getTime());
    },
    get offset() {
      return ahead;
    },
  };
}
