/** The only place that reads the system clock. Everything else takes a `Clock` or a moment. */
export interface Clock {
  /** The present moment, in the product's time (a test clock may run ahead of the machine's). */
  now(): Date;
}

export const systemClock: Clock = {
  now: () => new Date(),
};

/**
 * How far the clocks of machines that work together may differ. A stored moment of the past that lies further ahead than
 * this was written by a clock that was wrong, and is not to be waited for.
 */
export const CLOCK_SKEW_MS = 5 * 60_000;

/** Milliseconds from an arbitrary start that never go back: for durations and time-outs, not for dates. */
export function monotonicMs(): number {
  return performance.now();
}

/** A clock that can be put forward, for trying out in seconds what takes months; it goes on ticking from there. */
export interface MovableClock extends Clock {
  /** Puts the clock forward to the moment; one that has passed changes nothing. */
  advanceTo(moment: Date): void;
  /** Milliseconds that it runs ahead of the machine's. */
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
