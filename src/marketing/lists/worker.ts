import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import { purgeDeletedMemberships } from './queries.ts';

/** Memberships taken away in one statement: some 20 ms. */
const PIECE = 2_000;

/** Takes the memberships of deleted lists away, in pieces that hold up nobody. */
export function createListPurger({ db, log }: { db: Db; log: Logger }): Worker {
  return createWorker({
    name: 'list-purger',
    run: () => purgeDeletedMemberships(db, PIECE),
    idleMs: 60_000,
    log,
  });
}
