import { counter, gauge, histogram } from '../lib/measures.ts';
import { WORKER_NAMES } from './worker-names.ts';

const workers = { worker: WORKER_NAMES } as const;

/** Excludes polls that found nothing: they would drown out the others. */
export const turnDuration = histogram(
  'tradeloom_worker_turn_duration_seconds',
  'Duration of the turns of a worker that found something to do',
  workers,
  [0.005, 0.025, 0.1, 0.25, 1, 5, 15, 60],
);

export const itemsDone = counter('tradeloom_worker_items_total', 'Items that a worker has processed', workers);

export const turnsFailed = counter('tradeloom_worker_failures_total', 'Turns of a worker that failed', workers);

/** Stops increasing when a worker hangs. */
export const lastTurn = gauge(
  'tradeloom_worker_last_turn_timestamp_seconds',
  'When a worker that runs in this process last ended a turn',
  workers,
);
