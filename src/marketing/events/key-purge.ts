import { randomInt } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Queryable } from '../../db/pool.ts';
import * as keyQueries from './key-queries.ts';

/** Minimum number of pages of the key table per step: 8 MiB, about 90,000 keys. */
const MIN_PAGES = 1_024;
/** Maximum number of pages per statement. */
const MAX_PAGES = 1_024;
/** The number of steps that scan a table of any size. */
const STEPS = 1_440;

/**
 * Deletes expired event keys: each step scans the next slice of the key table and returns the number of deleted keys. With
 * one step a minute, a key is deleted within a day of its expiry; until then its only effect is that `claimKeys`
 * must reuse its row. Starts at a random page, so that processes that live less than a day also reach the end.
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
