import { createWorkers } from '../jobs.ts';
import type { App } from '../services.ts';
import type { Worker } from '../work/worker.ts';
import type { WorkerName } from '../work/worker-names.ts';

/** Returns a worker like that of a process just started: everything that it does at intervals is due. */
export function freshWorker(app: App, name: WorkerName): Worker {
  return createWorkers({ ...app, db: app.db.chores }).find((worker) => worker.name === name)!;
}
