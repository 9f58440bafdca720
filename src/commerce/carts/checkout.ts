import type { KeyObject } from 'node:crypto';
import { createAddressLimiter } from '../../access/attempts/addresses.ts';
import type { NetworkLimiter } from '../../access/attempts/limiter.ts';
import type { MasterKey } from '../../access/master-key.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Queryable } from '../../db/pool.ts';
import { AppError, type FieldError, found, invalidField, validationFailed } from '../../errors.ts';
import { signToken } from '../../messaging/consent/tokens.ts';
import { findIdentities } from '../customers/service.ts';
import { readAmount } from '../fields.ts';
import { findReservedUntil } from '../inventory/reservations.ts';
import type { Minor } from '../money.ts';
import type { Order } from '../orders/contract.ts';
import type { PlacedCart } from '../orders/service.ts';
import { requireAttempt } from '../payments/attempts.ts';
import type { MoneyInput } from '../payments/contract.ts';
import { requireNotDeclined } from '../payments/declined.ts';
import { reserves } from '../payments/methods/method.ts';
import type { PaymentCalls } from '../payments/operations/calls.ts';
import { cancellation } from '../payments/operations/operation.ts';
import { insertOperations } from '../payments/operations/queries.ts';
import type { PaymentRow } from '../payments/payment.ts';
import { findAttempts, findPayment, findPaymentsOfCarts, findPaymentsOfOrder } from '../payments/queries.ts';
import { checkoutPayment } from '../payments/record.ts';
import { methodOf, requireOwner, requireSame } from '../payments/saved/choice.ts';
import { payLinkEnd, payUrl } from '../payments/service.ts';
import type { Shop } from '../shop.ts';
import type { Checkout, PayInput } from './contract.ts';
import { type CartPlacingDeps, createCartPlacing } from './placing.ts';
import * as queries from './queries.ts';
import { createRowReader } from './reading.ts';
import { requireOpen, requireReady } from './ready.ts';
import { releaseCarts } from './release.ts';
import type { CartRow } from './row.ts';

export interface CheckoutDeps extends CartPlacingDeps {
  tokenKey: KeyObject;
  masterKey: Pick<MasterKey, 'open'>;
  calls: PaymentCalls;
  visitorLimiter: NetworkLimiter;
  /** The public URL of this server. */
  origin: () => string;
}

const NOTHING: PlacedCart = { order: null, payment: null, reservedUntil: null };

/** Times that a cart is read anew because it changed while it was placed. */
const MOST_READS = 5;

export type CheckoutService = ReturnType<typeof createCheckoutService>;

/** Turns carts into orders. What it does depends on the cart's status, so that a repetition returns what there is. See docs/design/carts.md. */
export function createCheckoutService(deps: CheckoutDeps) {
  const { db, shops, orders, tokenKey, masterKey, calls, origin } = deps;
  const findRow = createRowReader(db);
  const { submit } = createCartPlacing(deps);
  const countAttempt = createAddressLimiter('store_pays', deps);

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
    const { payment, reservedUntil } = await paymentOf(companyId, cart.id);
    return payment === undefined || reservedUntil === undefined ? null : { order: null, payment, reservedUntil };
  }

  /** The payment that is under way for a cart. */
  async function paymentOf(companyId: number, cartId: number) {
    const lane = db.points(companyId);
    const [payments, until] = await Promise.all([
      findPaymentsOfCarts(lane, companyId, [cartId]),
      findReservedUntil(lane, companyId, [cartId]),
    ]);
    return { payment: payments.get(cartId), reservedUntil: until.get(cartId) };
  }

  /** Starts the payment that a service was asked for, and returns what became of it. Throws payment_declined. */
  async function begin(caller: Caller, cartId: number, paymentId: number): Promise<Checkout> {
    const { companyId } = caller;
    await calls.advance(companyId, paymentId);
    const [payment, state] = await Promise.all([
      findPayment(db.points(companyId), companyId, paymentId),
      stateNow(caller, cartId),
    ]);
    requireNotDeclined(found(payment, 'payment'));
    return state;
  }

  /** What has become of the cart, as it is now. Throws not_found, cart_not_open. */
  async function stateNow(caller: Caller, cartId: number): Promise<Checkout> {
    const shop = await shops.get(caller.companyId);
    return untilUnchanged(caller, cartId, async (cart) => {
      const state = await stateOf(caller.companyId, cart);
      return state && checkoutOf(state, shop);
    });
  }

  /** Returns the result of a repetition, which a person's audit log has as well. */
  async function repeated<T>(caller: Caller, result: T): Promise<T> {
    return caller.audit === undefined ? result : write(db, caller, () => Promise.resolve(result));
  }

  function checkoutOf({ order, payment, reservedUntil }: PlacedCart, shop: Shop): Checkout {
    const { companyId } = shop;
    return {
      status: statusOf(order, payment, reservedUntil),
      order,
      order_token: order && signToken(tokenKey, 'order', { companyId, subject: order.id, detail: 0 }),
      payment: payment && checkoutPayment(payment, shop, masterKey),
      reserved_until: reservedUntil?.toISOString() ?? null,
    };
  }

  /** Counts a buyer's attempt for the e-mail address of the cart. Throws rate_limited. */
  async function countBuyer(companyId: number, { customer_id: id, email }: CartRow): Promise<void> {
    const known = id === null ? email : (await findIdentities(db.points(companyId), companyId, [id])).get(id)?.email;
    if (known != null) await countAttempt(companyId, known);
  }

  function payPage(companyId: number, id: number, now: Date): string {
    return payUrl(tokenKey, origin(), { companyId, kind: 'cart', id, expiresAt: payLinkEnd(now) });
  }

  return {
    /**
     * Begins to pay a cart: places it at once, or reserves it until the payment has ended. `saves`: the service keeps the means of payment
     * for the customer of the cart, who must be the one who is signed in, also to pay with a saved method; staff charge it without the
     * customer. An e-mail address may be used for 10 payments by services an hour, unless staff begin them. Throws cart_not_open,
     * cart_not_ready, validation_failed, payment_method_unavailable, total_changed, payment_in_progress if it is paid by another means,
     * payment_declined, rate_limited, and what placing throws.
     */
    async payCart(
      caller: Caller,
      id: number,
      input: PayInput,
      { isStaff, saves = false, signedIn = null }: { isStaff: boolean; saves?: boolean; signedIn?: number | null },
    ): Promise<Checkout> {
      const { companyId } = caller;
      const shop = await shops.get(companyId);
      const { expected_total: expected } = input;
      const means = { methodId: input.method_id ?? null, savedId: input.saved_method_id ?? null };
      const { savedId } = means;
      if (saves && savedId !== null) {
        throw invalidField('save_method', 'The payment method has been saved', 'not_allowed');
      }
      const expectedTotal = expected === undefined ? null : readExpected(expected, shop);
      let isRepeated = false;
      let isCounted = false;
      return untilUnchanged(caller, id, async (cart) => {
        if (cart.status === 'open') {
          requireReady(cart);
          const lane = db.points(companyId);
          const owner = { of: 'cart', customerId: cart.customer_id, signedIn } as const;
          if (saves) requireOwner('save_method', owner);
          if (savedId !== null && !isStaff) requireOwner('saved_method_id', owner);
          const methodId = await methodOf(lane, companyId, cart.customer_id, means);
          const method = shop.paymentMethods.find((one) => one.id === methodId);
          if (method !== undefined && method.provider !== 'manual') {
            requireAttempt(await findAttempts(lane, companyId, id), method.id, caller.now);
          }
          if (!isStaff && !isCounted && method !== undefined && method.provider !== 'manual') {
            isCounted = true;
            await countBuyer(companyId, cart);
          }
          const returnUrl = input.return_url ?? payPage(companyId, id, caller.now);
          const saved = savedId === null ? null : ({ id: savedId, by: isStaff ? 'staff' : 'buyer' } as const);
          const pays = { methodId, saved, expectedTotal, isStaff, returnUrl, saves };
          // Repeated, perhaps because nothing is to be paid: then it is an order after all.
          const expectsOrder = (method === undefined || !reserves(method)) !== isRepeated;
          isRepeated = !isRepeated;
          const checkout = await submit(caller, cart, { pays, expectsOrder }, checkoutOf);
          return checkout?.status === 'processing' ? begin(caller, id, checkout.payment!.id) : checkout;
        }
        const state = await stateOf(companyId, cart);
        if (state === null) return null;
        if (state.order === null && state.payment !== null) {
          await requireSame(db.points(companyId), companyId, state.payment, means);
        }
        if (state.payment?.status === 'created') return begin(caller, id, state.payment.id);
        return repeated(caller, checkoutOf(state, shop));
      });
    },

    /** Returns what has become of the payment of a cart, which its service is asked. Throws not_found, cart_not_open, payment_declined. */
    async confirmCart(caller: Caller, id: number): Promise<Checkout> {
      const { companyId } = caller;
      const { payment } = await paymentOf(companyId, id);
      if (payment !== undefined) await calls.hear(companyId, payment);
      if (payment !== undefined) {
        requireNotDeclined(found(await findPayment(db.points(companyId), companyId, payment.id), 'payment'));
      }
      return repeated(caller, await stateNow(caller, id));
    },

    /** Cancels the payment of a cart, which then can be changed again; by a service, once that has cancelled it. Throws
     * payment_in_progress while it has not. Throws not_found, cart_not_open. */
    async reopenCart(caller: Caller, id: number): Promise<Checkout> {
      const { companyId, actor, now } = caller;
      const shop = await shops.get(companyId);
      let asked: number | null = null;
      const checkout = await write(db, caller, async (tx) => {
        asked = null;
        const cart = found(await queries.lockCart(tx, companyId, id), 'cart');
        if (cart.status !== 'paying') return checkoutOf(await endOf(tx, companyId, cart), shop);
        const payment = (await findPaymentsOfCarts(tx, companyId, [id])).get(id);
        if (payment === undefined || payment.provider === 'manual') {
          await releaseCarts(tx, companyId, [id], { actor, now });
        } else {
          await insertOperations(tx, companyId, [cancellation(payment)], now);
          asked = payment.id;
        }
        return checkoutOf(NOTHING, shop);
      });
      if (asked === null) return checkout;
      // Open once the service has cancelled the payment.
      await calls.advance(companyId, asked);
      const state = await stateNow(caller, id);
      if (state.status === 'open' || state.status === 'placed') return state;
      throw new AppError('payment_in_progress', 'The payment service has not cancelled the payment', {
        payment_id: asked,
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

function statusOf(order: Order | null, payment: PaymentRow | null, reservedUntil: Date | null): Checkout['status'] {
  if (order !== null) return 'placed';
  if (reservedUntil === null) return 'open';
  return payment?.status === 'action_required' ? 'action_required' : 'processing';
}
