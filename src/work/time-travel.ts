import type { MovableClock } from '../clock.ts';
import type { Worker } from './worker.ts';

/** Maximum rounds of all workers at one moment; more are considered an endless loop. */
const MAX_ROUNDS = 100_000;

/**
 * Advances the clock to `target`, stopping at every due time in between, so that work happens at its due time and in order. The
 * workers' own loops are paused meanwhile.
 * @param onMove called for every step, before its work is done
 * @returns the number of moments at which it stopped
 */
export async function travel(
  clock: MovableClock,
  workers: Worker[],
  target: Date,
  onMove: (offset: number) => Promise<void>,
): Promise<number> {
  await Promise.all(workers.map((worker) => worker.pause()));
  try {
    await untilIdle(workers);
    let stops = 0;
    for (;;) {
      const due = await nextDue(workers, clock.now());
      const last = due === null || due >= target;
      clock.advanceTo(last ? target : due);
      await onMove(clock.offset);
      await untilIdle(workers);
      if (last) return stops;
      stops++;
    }
  } finally {
    for (const worker of workers) worker.resume();
  }
}

async function nextDue(workers: Worker[], now: Date): Promise<Date | null> {
  const moments = await Promise.all(workers.map((worker) => worker.nextDue(now)));
  // Work that is due but was not done waits for something other than time.
  const ahead = moments.filter((moment) => moment !== null && moment > now) as Date[];
  return ahead.reduce<Date | null>((first, moment) => (first === null || moment < first ? moment : first), null);
}

/** Runs all workers until a round in which none did anything, because one worker's output is another's input. */
async function untilIdle(workers: Worker[]): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let done = 0;
    for (const worker of workers) done += await worker.runOnce();
    if (done === 0) return;
  }
  throw new Error('The workers do not become idle: the clock was not moved further');
}
