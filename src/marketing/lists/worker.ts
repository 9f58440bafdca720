import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import { purgeDeletedMemberships } from './membership-queries.ts';

/** Memberships per statement, about 20 ms of work. */
const SLICE = 2_000;

/** Deletes the memberships of deleted lists, in slices short enough not to delay other work. */
export function createListPurger({ db, log }: { db: Db; log: Logger }): Worker {
  return createWorker({
    name: 'list-purger',
    run: () => purgeDeletedMemberships(db, SLICE),
    idleMs: 60_000,
    log,
  });
}
