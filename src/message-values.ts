import type { KeyObject } from 'node:crypto';
import { createOpenCarts } from './commerce/message-data/carts.ts';
import {
  loadBestSellers,
  loadBoughtTogether,
  loadCustomers,
  loadLoyalty,
  loadNextSubscriptions,
  loadProducts,
} from './commerce/message-data/service.ts';
import type { ShopCache } from './commerce/shop.ts';
import { loadCarts } from './marketing/carts/service.ts';
import { loadViewedProducts } from './marketing/viewed-products/service.ts';
import type { JsonValue } from './messaging/compose/liquid/render.ts';
import type { DataLoaders } from './messaging/compose/values.ts';

/** Where the variables that messages load by name come from. */
export function createMessageValues(deps: { shops: ShopCache; tokenKey: KeyObject }): DataLoaders {
  const loadOpenCarts = createOpenCarts(deps);
  return {
    customer: loadCustomers,
    loyalty: loadLoyalty,
    subscription: loadNextSubscriptions,
    cart: (db, companyId, ids, { now }) => loadCarts(db, companyId, ids, now, loadOpenCarts),
    'recommendations.recently_viewed': (db, companyId, contactIds, { now }) =>
      loadViewedProducts(loadProducts, db, companyId, { contactIds, now }),
    'recommendations.best_sellers': async (db, companyId, ids) =>
      forAll(ids, (await loadBestSellers(db, companyId, [''])).get('')),
    'recommendations.best_sellers_by_category': async (db, companyId, ids, { categories }) => {
      const found = categories.length === 0 ? new Map() : await loadBestSellers(db, companyId, categories);
      return forAll(ids, found.size === 0 ? undefined : Object.fromEntries(found));
    },
    'recommendations.bought_together': loadBoughtTogether,
  };
}

/** The same value for every id. */
function forAll(ids: readonly number[], value: JsonValue | undefined): Map<number, JsonValue> {
  return new Map(value === undefined ? [] : ids.map((id) => [id, value]));
}
