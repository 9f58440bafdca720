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

/** Applies changed rules to all products, and those that are to be applied again. */
export function applyChangedRules({ db, clock, log }: { db: Db; clock: Clock; log: Logger }): Slice<true> {
  const apply = applyAfterTransactions(
    { db, log },
    {
      find: () => queries.findUpdating(db, COLLECTIONS_AT_ONCE),
      keyOf: ({ id, rules_version }) => `${id} ${rules_version}`,
      apply: (tx, collection) => members.applyToNext(tx, collection, PRODUCTS_AT_ONCE),
      failure: 'the rules of a collection could not be applied',
    },
  );
  return async (place) => {
    for (const { company_id: companyId, id } of await queries.findDue(db, clock.now(), COLLECTIONS_AT_ONCE)) {
      const now = clock.now();
      const refreshAt = new Date(now.getTime() + REFRESH_MS);
      await db.tenantTx(companyId, (tx) => queries.beginUpdate(tx, companyId, id, { now, refreshAt }));
    }
    return apply(place);
  };
}
