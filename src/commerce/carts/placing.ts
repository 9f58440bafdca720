import type { Caller } from '../../caller.ts';
import type { Db } from '../../db/pool.ts';
import { findByEmail } from '../customers/service.ts';
import { findMemberName } from '../notes/queries.ts';
import type { CartPayment, OrderNote } from '../orders/placing/request.ts';
import { CartChanged } from '../orders/placing/snapshot.ts';
import type { OrdersService, PlacedCart } from '../orders/service.ts';
import type { MoneyInput } from '../payments/contract.ts';
import type { PaidCart } from '../payments/settling/paid-cart.ts';
import type { Shop, ShopCache } from '../shop.ts';
import { knownCustom } from './fields.ts';
import { createRowReader } from './reading.ts';
import { requestOf } from './request.ts';
import type { CartRow } from './row.ts';

export interface CartPlacingDeps {
  db: Db;
  shops: ShopCache;
  orders: OrdersService;
}

/** How a cart is placed or reserved. */
interface Terms {
  pays: CartPayment | null;
  expectsOrder: boolean;
  /** Money that was received. */
  payments?: readonly MoneyInput[];
  paid?: PaidCart | null;
}

export type CartPlacing = ReturnType<typeof createCartPlacing>;

/** Places carts as orders, or reserves them, in the order transaction. */
export function createCartPlacing({ db, shops, orders }: CartPlacingDeps) {
  const findRow = createRowReader(db);

  /** Places or reserves the cart as it was read. Returns null if it has changed in the meantime. */
  async function submit<T>(
    caller: Caller,
    cart: CartRow,
    { pays, expectsOrder, payments = [], paid = null }: Terms,
    present: (placed: PlacedCart, shop: Shop) => T,
  ): Promise<T | null> {
    const { companyId } = caller;
    const { id, email, first_name: firstName, last_name: lastName, phone, billing, revision } = cart;
    const [known, shop, note] = await Promise.all([
      cart.customer_id ?? findByEmail(db.points(companyId), companyId, email!),
      shops.get(companyId),
      noteOf(cart, caller),
    ]);
    const guest = cart.customer_id === null ? { email: email!, firstName, lastName, phone } : null;
    const custom = knownCustom(cart.custom, shop);
    const reserved = cart.frozen === null || cart.status === 'expired' ? null : { frozen: cart.frozen, custom };
    // What a reservation holds is not taken again.
    const isRenewal = cart.subscription_id !== null;
    const taken =
      reserved === null
        ? { custom: isRenewal ? null : custom }
        : { items: [], promoCode: null, redeemPoints: 0, custom: null };
    const request = {
      ...requestOf(cart, caller),
      ...taken,
      customerId: known ?? 0,
      payments,
      cart: {
        id,
        revision,
        guest,
        billing,
        note,
        acceptsMarketing: cart.accepts_marketing,
        expectsOrder,
        pays,
        paid,
        reserved,
        cycleDate: cart.cycle_date,
      },
    };
    return orders.placeCart(caller, request, present).catch((error: unknown) => {
      if (error instanceof CartChanged) return null;
      throw error;
    });
  }

  async function noteOf({ note: text }: CartRow, { companyId, actor }: Caller): Promise<OrderNote | null> {
    if (text === null) return null;
    return { text, actorName: await findMemberName(db.points(companyId), companyId, actor) };
  }

  return {
    submit,

    /** Places a cart because its payment has succeeded. Returns false if the cart has changed. Throws what placing throws. */
    async placePaid(caller: Caller, cartId: number, paid: PaidCart): Promise<boolean> {
      const cart = await findRow(caller.companyId, cartId);
      const terms = { pays: null, expectsOrder: true, paid };
      return (await submit(caller, cart, terms, () => true)) ?? false;
    },
  };
}
