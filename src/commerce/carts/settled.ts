import type { Db } from '../../db/pool.ts';
import { extendReservation } from '../inventory/reservations.ts';
import type { SettledCarts } from '../payments/settling/settle.ts';
import { holdBuyer } from './buyer.ts';
import type { CartPlacing } from './placing.ts';
import * as queries from './queries.ts';
import { releaseCarts } from './release.ts';

/** What payments that are settled do with their carts. */
export function createSettledCarts({ db, placing }: { db: Db; placing: Pick<CartPlacing, 'placePaid'> }): SettledCarts {
  return {
    async statusOf(companyId, id) {
      const [cart] = await queries.findCarts(db.points(companyId), companyId, [id]);
      return cart?.status ?? null;
    },

    async holdBuyer(tx, companyId, id) {
      const [cart] = await queries.findCarts(tx, companyId, [id]);
      return cart === undefined ? null : holdBuyer(tx, companyId, cart);
    },

    lockCart: queries.lockCart,
    releaseCarts,

    extendReservation,
    placePaid: placing.placePaid,
  };
}
