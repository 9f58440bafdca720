import type { App } from '../../app.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import { purgeDeletedMemberships } from './queries.ts';

/** Memberships taken away in one statement: some 20 ms. */
const PIECE = 2_000;

/** Takes the memberships of deleted lists away, in pieces that hold up nobody. */
export function createListPurger(app: Pick<App, 'db' | 'log'>): Worker {
  return createWorker({
    name: 'list-purger',
    run: () => purgeDeletedMemberships(app.db, PIECE),
    idleMs: 60_000,
    log: app.log,
  });
}
