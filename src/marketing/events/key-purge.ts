import { randomInt } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Queryable } from '../../db/pool.ts';
import * as keyQueries from './key-queries.ts';

/** Pages of the table of keys that a step looks through at least: 8 MiB, some 90,000 keys. */
const MIN_PAGES = 1_024;
/** … and in one statement at most. */
const MAX_PAGES = 1_024;
/** So many steps go through a table of any size. */
const STEPS = 1_440;

/**
 * Forgets event keys past their time: each step looks through the next slice of their table, and gives how many keys it
 * removed. Done once in a minute, a key is gone a day after its time at the latest; until then whoever takes it again has to
 * look (see claimKeys), and it counts for nothing else. It begins anywhere, so that processes that live less than a day come
 * to the end of the table too.
 */
export function createKeyPurge(db: Queryable, clock: Clock, minPages = MIN_PAGES): () => Promise<number> {
  let next: number | undefined;
  return async () => {
    const pages = await keyQueries.countKeyPages(db);
    if (next === undefined) next = randomInt(pages + 1);
    if (next >= pages) next = 0;
    const first = next;
    next += Math.max(minPages, Math.ceil(pages / STEPS));
    let removed = 0;
    for (let from = first; from < next; from += MAX_PAGES) {
      removed += await keyQueries.purgeKeys(db, clock.now(), from, Math.min(from + MAX_PAGES, next));
    }
    return removed;
  };
}
