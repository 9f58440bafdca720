import type { Logger } from 'pino';
import type { Db } from '../../../db/pool.ts';
import type { Slice } from '../../../lib/slice.ts';
import { applyAfterTransactions } from '../../../work/after-transactions.ts';
import * as queries from './update-queries.ts';

/** Products of a slice, which keeps them from being changed meanwhile. */
const PRODUCTS_AT_ONCE = 200;
const COMPANIES_AT_ONCE = 50;

/** Keeps the facet values of all products of companies whose filterable custom fields have changed. */
export function keepChangedFacets(deps: { db: Db; log: Logger }): Slice<true> {
  return applyAfterTransactions(deps, {
    find: (db) => queries.findUpdating(db, COMPANIES_AT_ONCE),
    keyOf: ({ version }) => String(version),
    apply: (tx, update) => queries.keepNext(tx, update, PRODUCTS_AT_ONCE),
    failure: 'the facet values of products could not be kept',
  });
}
