import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import { purgeDeletedMemberships } from './membership-queries.ts';

/** Memberships per statement, some 20 ms. */
const SLICE = 2_000;

/** Deletes the memberships of deleted lists, in slices that delay nobody. */
export function createListPurger({ db, log }: { db: Db; log: Logger }): Worker {
  return createWorker({
    name: 'list-purger',
    run: () => purgeDeletedMemberships(db, SLICE),
    idleMs: 60_000,
    log,
  });
}
