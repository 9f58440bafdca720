import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import type { Slice } from '../../lib/slice.ts';
import * as members from './member-queries.ts';
import { beginUpdate } from './queries.ts';

/** How often rules with `within_last_days` are applied again. */
export const REFRESH_MS = 3_600_000;
/** Products of a slice, which keeps them from being changed while it is applied. */
const PRODUCTS_AT_ONCE = 200;
const COLLECTIONS_AT_ONCE = 50;

/**
 * Applies changed rules to all products, a slice each for the collections that are updating. A transaction that changes a product with the
 * rules of before may still be under way, and its writes come too late to be seen: so a collection waits until all transactions have ended
 * that were under way when its change was first seen here.
 */
export function applyChangedRules({ db, clock, log }: { db: Db; clock: Clock; log: Logger }): Slice<true> {
  let waiting = new Map<string, number>();
  return async () => {
    for (const { company_id: companyId, id } of await members.findDue(db, clock.now(), COLLECTIONS_AT_ONCE)) {
      const now = clock.now();
      const refreshAt = new Date(now.getTime() + REFRESH_MS);
      await db.tenantTx(companyId, (tx) => beginUpdate(tx, companyId, id, { now, refreshAt }));
    }
    const updating = await members.findUpdating(db, COLLECTIONS_AT_ONCE);
    if (updating.length === 0) {
      waiting.clear();
      return { done: 0, next: null };
    }
    const { next, oldest } = await members.findTransactions(db);
    const before = waiting;
    waiting = new Map();
    let done = 0;
    let isMore = false;
    for (const collection of updating) {
      const key = `${collection.company_id} ${collection.id} ${collection.rules_version}`;
      const until = before.get(key) ?? next;
      waiting.set(key, until);
      if (oldest < until) continue;
      const more = await db
        .tenantTx(collection.company_id, (tx) => members.applyToNext(tx, collection, PRODUCTS_AT_ONCE))
        .catch((error: unknown) => {
          // An error of one collection does not stop the others; it is tried again at the chore's next turn.
          if (isUnavailable(error)) throw error;
          log.warn({ err: error, collection }, 'the rules of a collection could not be applied');
          return false;
        });
      isMore ||= more;
      done++;
    }
    return { done, next: isMore ? true : null };
  };
}
