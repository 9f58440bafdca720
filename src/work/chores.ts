import type { Logger } from 'pino';
import { monotonicMs } from '../clock.ts';
import { counter } from '../lib/measures.ts';
import { inRootSpan } from '../lib/tracing/spans.ts';
import { UNFINISHED } from './slices.ts';
import { createWorker, type Worker } from './worker.ts';

/** Periodic, idempotent maintenance, run by any process that has workers. */
export interface Chore {
  name: string;
  everyMs: number;
  /** It has nothing to do unless something was written since its last run began. */
  afterWrites?: true;
  /** Returns UNFINISHED (see slices.ts) to continue at the next turn. */
  run: () => Promise<unknown>;
}

const IDLE_MS = 500;

const choreSeconds = counter('tradeloom_chore_seconds_total', 'Time that a chore has taken', { chore: [] });
const choreRuns = counter('tradeloom_chore_runs_total', 'Runs of a chore', { chore: [] });
const choreFailures = counter('tradeloom_chore_failures_total', 'Runs of a chore that failed', { chore: [] });

/** Runs each chore at its interval, by the machine's clock. A failure is logged, and the chore runs again after its interval. */
export function createChoresWorker({ log, chores }: { log: Logger; chores: Chore[] }): Worker {
  const last = new Map<Chore, number>();
  const marks = new Map<Chore, string>();
  for (const { name } of chores) choreFailures.inc({ chore: name }, 0);
  return createWorker({
    name: 'chores',
    idleMs: IDLE_MS,
    mostIdleMs: IDLE_MS,
    log,
    async run(signal, idling) {
      for (const chore of chores) {
        if (signal.aborted) break;
        if (monotonicMs() - (last.get(chore) ?? Number.NEGATIVE_INFINITY) < chore.everyMs) continue;
        const mark = idling?.writes.mark();
        if (chore.afterWrites === true && mark !== undefined && marks.get(chore) === mark) continue;
        if (mark !== undefined) marks.set(chore, mark);
        last.set(chore, monotonicMs());
        const began = monotonicMs();
        const outcome = await inRootSpan(`chore ${chore.name}`, {}, chore.run).catch((error: unknown) => {
          choreFailures.inc({ chore: chore.name });
          marks.delete(chore);
          log.error({ err: error, chore: chore.name }, 'a chore failed');
        });
        choreRuns.inc({ chore: chore.name });
        choreSeconds.inc({ chore: chore.name }, (monotonicMs() - began) / 1_000);
        if (outcome !== UNFINISHED) continue;
        last.delete(chore);
        marks.delete(chore);
      }
      // Chores make nothing due for other workers.
      return 0;
    },
  });
}
