import type { Queryable } from '../../db/pool.ts';
import { type Cart, cartOf } from './cart.ts';
import { findOpenCarts } from './queries.ts';

/** The open carts by contact, those that no order followed; contacts without one are absent. One statement. */
export async function loadCarts(
  db: Queryable,
  companyId: number,
  contactIds: number[],
  now: Date,
): Promise<Map<number, Cart>> {
  const found = new Map<number, Cart>();
  for (const { contact_id, data } of await findOpenCarts(db, companyId, contactIds, now)) {
    const cart = cartOf(data);
    if (cart !== null) found.set(contact_id, cart);
  }
  return found;
}
