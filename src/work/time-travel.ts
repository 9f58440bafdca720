import type { MovableClock } from '../clock.ts';
import type { Worker } from './worker.ts';

/** Turns of all workers at one moment, after which something is taken to go round in circles. */
const MAX_ROUNDS = 100_000;

/**
 * Moves time to `target`, stopping at every moment in between at which something is due, so that it happens then, and
 * in order. The workers' own loops stand still meanwhile.
 * @param onMove is told of every step, before its work is done
 * @returns the number of moments stopped at
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
  const moments = await Promise.all(workers.map((worker) => worker.nextDue()));
  // What is due already and was not done waits for something else than time.
  const ahead = moments.filter((moment) => moment !== null && moment > now) as Date[];
  return ahead.reduce<Date | null>((first, moment) => (first === null || moment < first ? moment : first), null);
}

/** One worker's deeds are the next one's work: done is a round in which nobody did anything. */
async function untilIdle(workers: Worker[]): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let done = 0;
    for (const worker of workers) done += await worker.runOnce();
    if (done === 0) return;
  }
  throw new Error('The workers find no end: time stands where it is');
}
