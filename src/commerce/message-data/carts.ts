import type { KeyObject } from 'node:crypto';
import { workerCaller } from '../../caller.ts';
import type { Queryable } from '../../db/pool.ts';
import { findOpenCarts } from '../carts/event-queries.ts';
import { cartAbandoned } from '../carts/events.ts';
import { priceCarts } from '../carts/priced.ts';
import { recoverUrl } from '../carts/recovery.ts';
import type { ShopCache } from '../shop.ts';

interface CartsDeps {
  shops: ShopCache;
  tokenKey: KeyObject;
}

interface Buyer {
  contact_id: number;
  email: string | null;
  /** For the contact of a customer, the customer's id. */
  external_id: string | null;
}

const CUSTOMER_ID = /^[1-9]\d{0,14}$/;

/** Loads the newest open cart of each buyer, with its present price, as the event of an abandoned cart describes it. */
export function createOpenCarts({ shops, tokenKey }: CartsDeps) {
  return async (db: Queryable, companyId: number, buyers: Buyer[], now: Date) => {
    const rows = await findOpenCarts(
      db,
      companyId,
      buyers.map(({ contact_id: contactId, email, external_id: id }) => {
        return { contactId, customerId: id !== null && CUSTOMER_ID.test(id) ? Number(id) : null, email };
      }),
    );
    if (rows.length === 0) return new Map<number, Record<string, unknown>>();
    const shop = await shops.get(companyId);
    const carts = await priceCarts(db, workerCaller(companyId, 'messages', now), shop, rows);
    return new Map(
      carts.map((cart, i) => {
        const { payload } = cartAbandoned(cart, shop, recoverUrl(tokenKey, shop, cart.row.id), now);
        return [rows[i]!.contact_id, { ...payload } as Record<string, unknown>];
      }),
    );
  };
}
