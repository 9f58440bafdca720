import type { MovableClock } from '../clock.ts';

/** A clock that stands still until a test advances it, or the server itself where its configuration has `testClock`. */
export interface TestClock extends MovableClock {
  set(moment: Date | string): void;
  advance(ms: number): void;
}

export function createTestClock(start: Date | string = '2026-03-15T12:00:00.000Z'): TestClock {
  const begin = new Date(start).getTime();
  let moment = begin;
  return {
    now: () => new Date(moment),
    set: (next) => {
      moment = new Date(next).getTime();
    },
    advance: (ms) => {
      moment += ms;
    },
    advanceTo: (next) => {
      moment = Math.max(moment, next.getTime());
    },
    get offset() {
      return moment - begin;
    },
  };
}
