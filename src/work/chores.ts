import type { Logger } from 'pino';
import { monotonicMs } from '../clock.ts';
import { UNFINISHED } from './slices.ts';
import { createWorker, type Worker } from './worker.ts';

/** Upkeep that is nobody's deed: done now and then, by whichever process comes to it; doing it twice does no harm. */
export interface Chore {
  name: string;
  everyMs: number;
  /** May say that it is UNFINISHED (see slices.ts): then it goes on at the next turn. */
  run: () => Promise<unknown>;
}

const IDLE_MS = 500;

/** Does each chore at its pace, by the machine's time. One that fails is logged, and tried again at its next turn. */
export function createChoresWorker({ log, chores }: { log: Logger; chores: Chore[] }): Worker {
  const last = new Map<Chore, number>();
  return createWorker({
    name: 'chores',
    idleMs: IDLE_MS,
    log,
    async run(signal) {
      for (const chore of chores) {
        if (signal.aborted) break;
        if (monotonicMs() - (last.get(chore) ?? Number.NEGATIVE_INFINITY) < chore.everyMs) continue;
        last.set(chore, monotonicMs());
        const outcome = await chore.run().catch((error: unknown) => {
          log.error({ err: error, chore: chore.name }, 'a chore failed');
        });
        if (outcome === UNFINISHED) last.delete(chore);
      }
      // Upkeep brings nothing about that other workers would wait for.
      return 0;
    },
  });
}
