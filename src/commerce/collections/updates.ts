import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import type { Slice } from '../../lib/slice.ts';
import { applyAfterTransactions } from '../../work/after-transactions.ts';
import * as members from './member-queries.ts';
import { REFRESH_MS } from './rules.ts';
import * as queries from './update-queries.ts';

/** Products of a slice, which keeps them from being changed while it is applied. */
const PRODUCTS_AT_ONCE = 200;
const COLLECTIONS_AT_ONCE = 50;

/** Applies changed rules to all products. */
export function applyChangedRules(deps: { db: Db; log: Logger }): Slice<true> {
  return applyAfterTransactions(deps, {
    find: (db) => queries.findUpdating(db, COLLECTIONS_AT_ONCE),
    keyOf: ({ id, rules_version }) => `${id} ${rules_version}`,
    apply: (tx, collection) => members.applyToNext(tx, collection, PRODUCTS_AT_ONCE),
    failure: 'the rules of a collection could not be applied',
  });
}

/** Marks rules that depend on the date as changed when they are to be applied again. */
export function refreshDueRules({ db, clock }: { db: Db; clock: Clock }): Slice<true> {
  return async () => {
    const due = await queries.findDue(db, clock.now(), COLLECTIONS_AT_ONCE);
    for (const { company_id: companyId, id } of due) {
      const now = clock.now();
      const refreshAt = new Date(now.getTime() + REFRESH_MS);
      await db.tenantTx(companyId, (tx) => queries.beginRefresh(tx, companyId, id, { now, refreshAt }));
    }
    return { done: due.length, next: due.length === COLLECTIONS_AT_ONCE ? true : null };
  };
}
