import type { KeyObject } from 'node:crypto';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { AppError, type FieldError, found, validationFailed } from '../../errors.ts';
import { signToken } from '../../messaging/consent/tokens.ts';
import { findByEmail } from '../customers/service.ts';
import { readAmount } from '../fields.ts';
import { findReservedUntil } from '../inventory/reservations.ts';
import type { Minor } from '../money.ts';
import { findMemberName } from '../notes/queries.ts';
import type { Order } from '../orders/contract.ts';
import type { CartPayment, OrderNote } from '../orders/placing/request.ts';
import { CartChanged } from '../orders/placing/snapshot.ts';
import type { OrdersService, PlacedCart } from '../orders/service.ts';
import type { MoneyInput } from '../payments/contract.ts';
import type { PaymentRow } from '../payments/payment.ts';
import { findPaymentsOfCarts, findPaymentsOfOrder } from '../payments/queries.ts';
import { paymentRecord } from '../payments/record.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type { Checkout, PayInput } from './contract.ts';
import { knownCustom } from './fields.ts';
import * as queries from './queries.ts';
import { createRowReader } from './reading.ts';
import { requireOpen, requireReady } from './ready.ts';
import { releaseCarts } from './release.ts';
import { requestOf } from './request.ts';
import type { CartRow } from './row.ts';

export interface CheckoutDeps {
  db: Db;
  shops: ShopCache;
  orders: OrdersService;
  tokenKey: KeyObject;
}

const NOTHING: PlacedCart = { order: null, payment: null, reservedUntil: null };

/** Times that a cart is read anew because it changed while it was placed. */
const MOST_READS = 5;

export type CheckoutService = ReturnType<typeof createCheckoutService>;

/** Turns carts into orders. What it does depends on the cart's status, so that a repetition returns what there is. See docs/design/carts.md. */
export function createCheckoutService({ db, shops, orders, tokenKey }: CheckoutDeps) {
  const findRow = createRowReader(db);

  /** Places or reserves the cart as it was read. Returns null if it has changed in the meantime. */
  async function submit<T>(
    caller: Caller,
    cart: CartRow,
    {
      pays,
      expectsOrder,
      payments = [],
    }: { pays: CartPayment | null; expectsOrder: boolean; payments?: readonly MoneyInput[] },
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
    const reserved = cart.frozen === null ? null : { frozen: cart.frozen, custom };
    // What a reservation holds is not taken again.
    const taken = reserved === null ? { custom } : { items: [], promoCode: null, redeemPoints: 0, custom: null };
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
        reserved,
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

  /** Runs `attempt` with the cart as it is, until it does not return null because the cart has changed in the meantime. Throws not_found, revision_mismatch. */
  async function untilUnchanged<T>(
    { companyId }: Caller,
    id: number,
    attempt: (cart: CartRow) => Promise<T | null>,
  ): Promise<T> {
    for (let reads = 1; ; reads++) {
      const cart = await findRow(companyId, id);
      const placed = await attempt(cart);
      if (placed !== null) return placed;
      if (reads === MOST_READS) {
        throw new AppError('revision_mismatch', 'The cart kept changing', { revision: cart.revision });
      }
    }
  }

  /** What has become of a cart that is not being paid. Throws cart_not_open for one that can no longer be paid. */
  async function endOf(lane: Queryable, companyId: number, cart: CartRow): Promise<PlacedCart> {
    if (cart.status !== 'placed') {
      requireOpen(cart);
      return NOTHING;
    }
    const order = await orders.getOrderOfCart(companyId, cart.id);
    const [payment = null] = await findPaymentsOfOrder(lane, companyId, order.id);
    return { order, payment, reservedUntil: null };
  }

  /** What has become of the cart; null if its payment has ended since the cart was read. Throws cart_not_open. */
  async function stateOf(companyId: number, cart: CartRow): Promise<PlacedCart | null> {
    const lane = db.points(companyId);
    if (cart.status !== 'paying') return endOf(lane, companyId, cart);
    const [payments, until] = await Promise.all([
      findPaymentsOfCarts(lane, companyId, [cart.id]),
      findReservedUntil(lane, companyId, [cart.id]),
    ]);
    const [payment, reservedUntil] = [payments.get(cart.id), until.get(cart.id)];
    return payment === undefined || reservedUntil === undefined ? null : { order: null, payment, reservedUntil };
  }

  /** Returns the result of a repetition, which a person's audit log has as well. */
  async function repeated<T>(caller: Caller, result: T): Promise<T> {
    return caller.audit === undefined ? result : write(db, caller, () => Promise.resolve(result));
  }

  function checkoutOf({ order, payment, reservedUntil }: PlacedCart, shop: Shop): Checkout {
    const { companyId } = shop;
    const awaits = reservedUntil === null ? 'open' : 'action_required';
    return {
      status: order === null ? awaits : 'placed',
      order,
      order_token: order && signToken(tokenKey, 'order', { companyId, subject: order.id, detail: 0 }),
      payment: payment && paymentRecord(payment, shop),
      reserved_until: reservedUntil?.toISOString() ?? null,
    };
  }

  return {
    /**
     * Begins to pay a cart: places it at once, or reserves it until the payment has ended. Throws cart_not_open, cart_not_ready,
     * payment_method_unavailable, total_changed, payment_in_progress if it is paid by another method, and what placing throws.
     */
    async payCart(caller: Caller, id: number, input: PayInput, { isStaff }: { isStaff: boolean }): Promise<Checkout> {
      const { companyId } = caller;
      const shop = await shops.get(companyId);
      const { method_id: methodId = null, expected_total: expected } = input;
      const expectedTotal = expected === undefined ? null : readExpected(expected, shop);
      const method = shop.paymentMethods.find((one) => one.id === methodId);
      let expectsOrder = method?.places !== 'when_paid';
      return untilUnchanged(caller, id, async (cart) => {
        if (cart.status === 'open') {
          requireReady(cart);
          const checkout = await submit(
            caller,
            cart,
            { pays: { methodId, expectedTotal, isStaff }, expectsOrder },
            checkoutOf,
          );
          // Repeated, perhaps because nothing is to be paid: then it is an order after all.
          expectsOrder = !expectsOrder;
          return checkout;
        }
        const state = await stateOf(companyId, cart);
        if (state === null) return null;
        if (state.order === null) requireMethod(state.payment, methodId);
        return repeated(caller, checkoutOf(state, shop));
      });
    },

    /** Returns what has become of the payment of a cart. Throws not_found, cart_not_open. */
    async confirmCart(caller: Caller, id: number): Promise<Checkout> {
      const { companyId } = caller;
      const shop = await shops.get(companyId);
      return untilUnchanged(caller, id, async (cart) => {
        const state = await stateOf(companyId, cart);
        return state && repeated(caller, checkoutOf(state, shop));
      });
    },

    /** Cancels the payment of a cart, which then can be changed again. Throws not_found, cart_not_open. */
    async reopenCart(caller: Caller, id: number): Promise<Checkout> {
      const { companyId, actor, now } = caller;
      const shop = await shops.get(companyId);
      return write(db, caller, async (tx) => {
        const cart = found(await queries.lockCart(tx, companyId, id), 'cart');
        if (cart.status !== 'paying') return checkoutOf(await endOf(tx, companyId, cart), shop);
        await releaseCarts(tx, companyId, [id], { actor, now });
        return checkoutOf(NOTHING, shop);
      });
    },

    /**
     * Places an open or reserved cart, paid or not, with money that was received; one that was placed already returns its order, unless
     * money is to be recorded, which may have been by the request before. Throws cart_not_open, cart_not_ready, and what placing throws.
     */
    async placeCart(caller: Caller, id: number, payments: readonly MoneyInput[]): Promise<Order> {
      return untilUnchanged(caller, id, async (cart) => {
        if (cart.status === 'placed' && payments.length === 0) {
          return repeated(caller, await orders.getOrderOfCart(caller.companyId, id));
        }
        if (cart.status !== 'paying') {
          requireOpen(cart);
          requireReady(cart);
        }
        return submit(caller, cart, { pays: null, expectsOrder: true, payments }, ({ order }) => order!);
      });
    },
  };
}

/** Throws validation_failed for an amount with too many decimals. */
function readExpected(amount: number, shop: Shop): Minor {
  const errors: FieldError[] = [];
  const minor = readAmount('expected_total', amount, shop, errors);
  if (errors.length > 0) throw validationFailed(errors);
  return minor;
}

/** Throws payment_in_progress if the cart is paid by another method. */
function requireMethod(payment: PaymentRow | null, methodId: number | null): void {
  if (payment === null || payment.method_id === methodId) return;
  const message = `The cart is being paid by ${payment.label}: reopen it first`;
  throw new AppError('payment_in_progress', message, { payment_id: payment.id });
}
