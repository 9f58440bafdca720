import type { Queryable } from '../../db/pool.ts';
import { type Cart, cartOf } from './cart.ts';
import { type Buyer, findBuyers, findOpenCarts } from './queries.ts';

export type { Buyer };

/** Returns the data of a `cart_abandoned` event of each contact's open cart in the shop. */
export type LoadOpenCarts = (
  db: Queryable,
  companyId: number,
  buyers: Buyer[],
  now: Date,
) => Promise<Map<number, Record<string, unknown>>>;

/**
 * The open carts by contact: those of the shop, otherwise those that events describe and no order followed; contacts without one are
 * absent. A constant number of statements.
 */
export async function loadCarts(
  db: Queryable,
  companyId: number,
  contactIds: number[],
  now: Date,
  loadOpenCarts: LoadOpenCarts,
): Promise<Map<number, Cart>> {
  const [described, buyers] = await Promise.all([
    findOpenCarts(db, companyId, contactIds, now),
    findBuyers(db, companyId, contactIds),
  ]);
  const open = await loadOpenCarts(db, companyId, buyers, now);
  const found = new Map<number, Cart>();
  for (const [contactId, data] of [...described.map((row) => [row.contact_id, row.data] as const), ...open]) {
    const cart = cartOf(data);
    if (cart !== null) found.set(contactId, cart);
  }
  return found;
}
