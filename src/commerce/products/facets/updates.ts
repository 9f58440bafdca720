import type { Logger } from 'pino';
import type { Db } from '../../../db/pool.ts';
import { isUnavailable } from '../../../db/unavailable.ts';
import type { Slice } from '../../../lib/slice.ts';
import { findTransactions } from '../../collections/member-queries.ts';
import * as queries from './update-queries.ts';

/** Products of a slice, which keeps them from being changed meanwhile. */
const PRODUCTS_AT_ONCE = 200;
const COMPANIES_AT_ONCE = 50;

/**
 * Keeps the facet values of all products of companies whose filterable custom fields have changed, in slices. As for the rules of
 * collections, a company waits until all transactions have ended that may still use its fields of before.
 */
export function keepChangedFacets({ db, log }: { db: Db; log: Logger }): Slice<true> {
  let waiting = new Map<string, number>();
  return async () => {
    const updating = await queries.findUpdating(db, COMPANIES_AT_ONCE);
    if (updating.length === 0) {
      waiting.clear();
      return { done: 0, next: null };
    }
    const { next, oldest } = await findTransactions(db);
    const before = waiting;
    waiting = new Map();
    let done = 0;
    let isMore = false;
    for (const update of updating) {
      const key = `${update.company_id} ${update.version}`;
      const until = before.get(key) ?? next;
      waiting.set(key, until);
      if (oldest < until) continue;
      const more = await db
        .tenantTx(update.company_id, (tx) => queries.keepNext(tx, update, PRODUCTS_AT_ONCE))
        .catch((error: unknown) => {
          // An error in one company does not stop the others; it is tried again at the chore's next turn.
          if (isUnavailable(error)) throw error;
          log.warn({ err: error, update }, 'the facet values of products could not be kept');
          return false;
        });
      isMore ||= more;
      done++;
    }
    return { done, next: isMore ? true : null };
  };
}
