import { closeSync, openSync, writeSync } from 'node:fs';
import { createMovableClock } from '../../clock.ts';
import type { TestClock } from '../test-clock.ts';

/** The clock of a machine that runs programs under test. It goes on by itself, and can be put forward for all of them at once. */
export interface MovedClock extends TestClock {
  /** The settings by which a program has this clock. */
  env: Record<string, string>;
  close(): void;
}

export function createMovedClock(path: string): MovedClock {
  const clock = createMovableClock();
  const file = openSync(path, 'w');
  // As an address: the path of a folder may have spaces.
  const preload = new URL('moved-date.ts', import.meta.url);
  preload.searchParams.set('file', path);
  function advanceTo(moment: Date): void {
    clock.advanceTo(moment);
    writeSync(file, new Float64Array([clock.offset]), 0, 8, 0);
  }
  advanceTo(clock.now());
  return {
    now: clock.now,
    advanceTo,
    set: (moment) => advanceTo(new Date(moment)),
    advance: (ms) => advanceTo(new Date(clock.now().getTime() + ms)),
    get offset() {
      return clock.offset;
    },
    env: { NODE_OPTIONS: `--import=${preload.href}` },
    close: () => closeSync(file),
  };
}
