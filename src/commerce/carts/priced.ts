import type { Caller } from '../../caller.ts';
import type { Queryable } from '../../db/pool.ts';
import { hasLevels } from '../inventory/levels.ts';
import { readSnapshot } from '../orders/placing/queries.ts';
import { BatchState } from '../orders/placing/snapshot.ts';
import type { Shop } from '../shop.ts';
import type { PricedCart } from './events.ts';
import { findImages } from './queries.ts';
import { requestOf } from './request.ts';
import type { CartRow } from './row.ts';
import { totalsOf } from './totals.ts';

/** Prices open carts for events and messages, in one round trip. */
export async function priceCarts(
  db: Queryable,
  caller: Caller,
  shop: Shop,
  rows: readonly CartRow[],
): Promise<PricedCart[]> {
  const { companyId } = caller;
  const requests = rows.map((row) => requestOf(row, caller));
  const productIds = [...new Set(rows.flatMap(({ lines }) => lines.map(({ product_id }) => product_id)))];
  const [snapshot, images] = await Promise.all([
    readSnapshot(db, companyId, requests, { lock: false, levels: hasLevels(shop.locations) }),
    findImages(db, companyId, productIds),
  ]);
  const batch = new BatchState(snapshot, shop.locations);
  const { products, customers } = snapshot;
  return rows.map((row, i) => ({
    row,
    totals: totalsOf(shop, batch, row, requests[i]!),
    products,
    images,
    customer: row.customer_id === null ? undefined : customers.get(row.customer_id),
  }));
}
