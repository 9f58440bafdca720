import type { KeyObject } from 'node:crypto';
import { createAddressLimiter } from '../../access/attempts/addresses.ts';
import type { NetworkLimiter } from '../../access/attempts/limiter.ts';
import type { MasterKey } from '../../access/master-key.ts';
import type { Caller } from '../../caller.ts';
import { Replayed, write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { AppError, type FieldError, found, invalidField, validationFailed } from '../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../lib/paging.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { enqueue } from '../../outbox/service.ts';
import { findIdentities } from '../customers/service.ts';
import { readAmount } from '../fields.ts';
import { fromMinor, type Minor } from '../money.ts';
import type { Order } from '../orders/contract.ts';
import { orderRecord } from '../orders/record.ts';
import { findOrder, type HeldOrder, holdOrder, type OrderWithItems, paidEvent } from '../orders/service.ts';
import type { Shop, ShopCache } from '../shop.ts';
import { requireAttempt, wasDeclined } from './attempts.ts';
import { type OrderBooks, owedFor } from './books.ts';
import type {
  CaptureInput,
  CheckoutPayment,
  Ledger,
  MoneyInput,
  Payment,
  PaymentDetail,
  PaymentQuery,
} from './contract.ts';
import { requireNotDeclined } from './declined.ts';
import { checkTotal, methodFor } from './methods/choose.ts';
import type { PaymentMethod } from './methods/method.ts';
import { openBooks } from './open.ts';
import type { PaymentCalls } from './operations/calls.ts';
import { cancellation } from './operations/operation.ts';
import { findOperations, insertOperations } from './operations/queries.ts';
import { payLinkEnd, payUrl } from './pay-links.ts';
import { isOpen, type PaymentRow } from './payment.ts';
import * as queries from './queries.ts';
import { readMoney } from './received.ts';
import { checkoutPayment, ledgerRecord, operationRecord, paymentRecord } from './record.ts';
import { refundableOf } from './refunds/shares.ts';
import { methodOf, requireOwner, requireSame } from './saved/choice.ts';

/** Of one order: all of them are locked and read together. Buyers begin fewer, so that staff can always record theirs. */
const MAX_PAYMENTS = 100;
const MAX_BEFORE_BUYERS = 50;

export { createCalls, type PaymentCalls } from './operations/calls.ts';
export { createOrderPayable, createOrderPayLinks } from './order-pay-link.ts';
export { stripeScript, stripeSources } from './pay-elements.ts';
export { mailPayLink, type PayTarget, payLinkEnd, payUrl, payUrlOf } from './pay-links.ts';
export { createProviders, type Providers, type ProviderUrls } from './providers/load.ts';
export { createSettling } from './settling/settle.ts';
export { purgePaymentWebhooks } from './webhook-purge.ts';

export interface PaymentsDeps {
  db: Db;
  shops: ShopCache;
  masterKey: Pick<MasterKey, 'open'>;
  tokenKey: KeyObject;
  calls: PaymentCalls;
  visitorLimiter: NetworkLimiter;
  /** The public URL of this server. */
  origin: () => string;
  carts: {
    lockCart(tx: Tx, companyId: number, id: number): Promise<unknown>;
    /** Ends the payments of carts that are locked. */
    releaseCarts(tx: Tx, companyId: number, ids: readonly number[], by: { actor: string; now: Date }): Promise<void>;
  };
}

export type PaymentsService = ReturnType<typeof createPaymentsService>;

/** Payments and ledgers of orders. See docs/design/payments.md. */
export function createPaymentsService(deps: PaymentsDeps) {
  const { db, shops, masterKey, tokenKey, calls, origin, carts } = deps;
  const countAttempt = createAddressLimiter('store_pays', deps);

  /** Runs `change` with the order locked and its books open, then writes the books if a payment changed. Throws not_found. */
  async function withBooks<T>(
    caller: Caller,
    orderId: number,
    change: (tx: Tx, books: OrderBooks, shop: Shop, order: OrderWithItems) => Promise<T>,
  ): Promise<T> {
    const { companyId } = caller;
    const shop = await shops.get(companyId);
    return write(db, caller, async (tx) => {
      const held = found(await holdOrder(tx, companyId, orderId), 'order');
      const { order } = held;
      const books = await openBooks(tx, shop, order, caller);
      const due = books.owed;
      const result = await change(tx, books, shop, order);
      if (books.changed.size === 0) return result;
      await Promise.all(queries.saveBooks(tx, companyId, [books]));
      if (due > 0 && books.owed <= 0) await announcePaid(tx, shop, caller, held);
      return result;
    });
  }

  /**
   * Counts a buyer's attempt for the e-mail address, unless no service is asked. Before the books are open, since it may wait. Throws
   * rate_limited, and what `chosenMethod` throws.
   */
  async function countBuyer({ companyId, now }: Caller, orderId: number, choice: ChosenBalance): Promise<void> {
    const lane = db.points(companyId);
    const [shop, order, payments] = await Promise.all([
      shops.get(companyId),
      findOrder(lane, companyId, orderId),
      queries.findPaymentsOfOrder(lane, companyId, orderId),
    ]);
    if (order === undefined) return;
    const { method, isUnderWay } = chosenMethod(shop, { order, owes: owedFor(order), payments }, choice, now);
    if (method.provider === 'manual' || isUnderWay) return;
    const buyer = (await findIdentities(lane, companyId, [order.customer_id])).get(order.customer_id);
    if (buyer?.email != null) await countAttempt(companyId, buyer.email);
  }

  /** Returns the method by which an order is paid. Throws not_found, validation_failed. */
  async function methodOfBalance(
    companyId: number,
    orderId: number,
    { methodId, savedId = null, signedIn = null }: BalanceChoice,
  ): Promise<number> {
    const lane = db.points(companyId);
    if (savedId !== null) {
      const { customer_id: customerId } = found(await findOrder(lane, companyId, orderId), 'order');
      requireOwner('saved_method_id', { of: 'order', customerId, signedIn });
    }
    const known = await methodOf(lane, companyId, signedIn, { methodId, savedId });
    if (known === null) throw invalidField('method_id', 'method_id is required', 'required');
    return known;
  }

  async function announcePaid(tx: Tx, shop: Shop, caller: Caller, { order, buyer }: HeldOrder): Promise<void> {
    const event = paidEvent(order, buyer, shop, caller.now);
    await enqueue(tx, shop.companyId, [event], correlationOf(caller));
  }

  async function listPayments(companyId: number, query: PaymentQuery): Promise<Page<Payment>> {
    const [shop, page] = [await shops.get(companyId), pageOf(query)];
    const { status = null, order_id: orderId = null, due_before: dueBefore = null } = query;
    const { provider = null, attention = null, ends_before } = query;
    const endsBefore = ends_before === undefined ? null : new Date(ends_before);
    const filters = { status, orderId, dueBefore, provider, attention, endsBefore };
    const { rows, total } = await queries.listPayments(db.lists(companyId), companyId, filters, page);
    return { rows: rows.map((row) => paymentRecord(row, shop)), total, ...page };
  }

  /** Returns a payment with the operations at its service, oldest first. Throws not_found. */
  async function getPayment(companyId: number, id: number): Promise<PaymentDetail> {
    const shop = await shops.get(companyId);
    const lane = db.points(companyId);
    const [payment, operations] = await Promise.all([
      queries.findPayment(lane, companyId, id),
      findOperations(lane, companyId, id),
    ]);
    const record = paymentRecord(found(payment, 'payment'), shop);
    return { ...record, operations: operations.map((one) => operationRecord(one, shop)) };
  }

  /** Has the service do what `ask` writes, and returns the payment as it is by then, as does a repetition of the request. */
  async function carriedOut(caller: Caller, id: number, ask: () => Promise<unknown>): Promise<PaymentDetail> {
    const { companyId, idempotency } = caller;
    try {
      await ask();
    } catch (error) {
      const isDone = error instanceof Replayed && error.response.status === 200;
      if (!isDone || idempotency === null) throw error;
      throw new Replayed(idempotency.render(await getPayment(companyId, id)));
    }
    await calls.advance(companyId, id);
    return getPayment(companyId, id);
  }

  return {
    /** Newest first. */
    listPayments,

    /** Newest first. Throws not_found for an unknown order. */
    async listOrderPayments(companyId: number, orderId: number, query: PageQuery): Promise<Page<Payment>> {
      const page = await listPayments(companyId, { ...query, order_id: orderId });
      if (page.total === 0) found(await findOrder(db.points(companyId), companyId, orderId), 'order');
      return page;
    },

    getPayment,

    /** Throws not_found. */
    async getLedger(companyId: number, orderId: number): Promise<Ledger> {
      const shop = await shops.get(companyId);
      const lane = db.points(companyId);
      const [order, entries] = await Promise.all([
        findOrder(lane, companyId, orderId),
        queries.findLedger(lane, companyId, orderId),
      ]);
      return ledgerRecord(found(order, 'order').money, entries, shop);
    },

    /** Records money received for an order. Throws not_found, validation_failed, payment_method_unavailable. */
    async recordMoney(caller: Caller, orderId: number, input: MoneyInput): Promise<Payment> {
      return withBooks(caller, orderId, async (tx, books, shop) => {
        requireRoom(books, MAX_PAYMENTS);
        const money = readMoney(shop, input, { payments: books.payments, now: caller.now });
        return paymentRecord(books.receive(money, await queries.drawPaymentId(tx)), shop);
      });
    },

    /**
     * Begins to pay what is owed for an order: by a manual method it is awaited, in place of other methods. A payment by the method that is
     * under way is taken. `expected`: what the buyer was shown, in major units. `isKept`: only for an order that has a ledger. Throws not_found,
     * validation_failed for a saved method unless it is that of the order's customer, who is signed in, payment_method_unavailable,
     * nothing_to_pay, total_changed, payment_in_progress, payment_declined, rate_limited after 10 in an hour by the e-mail address.
     */
    async payBalance<T>(
      caller: Caller,
      orderId: number,
      choice: BalanceChoice,
      present: (payment: CheckoutPayment, order: Order) => T,
    ): Promise<T> {
      const { companyId } = caller;
      const { savedId = null } = choice;
      const methodId = await methodOfBalance(companyId, orderId, choice);
      const chosen = { ...choice, methodId };
      await countBuyer(caller, orderId, chosen);
      const begun = await withBooks(caller, orderId, async (tx, books, shop, order) => {
        const { owed: owes, payments: others } = books;
        const { method } = chosenMethod(shop, { order, owes, payments: others }, chosen, caller.now);
        requireRoom(books, MAX_BEFORE_BUYERS);
        const underWay = others.find((one) => isOpen(one) && one.method_id === methodId);
        if (underWay !== undefined) await requireSame(tx, companyId, underWay, { methodId, savedId });
        const payment = books.await(method, await queries.drawPaymentId(tx), {
          kind: method.kind,
          capture: 'at_once',
          save: false,
          return_url: choice.returnUrl ?? payPage(caller, orderId),
          ...(savedId === null ? null : { saved_method_id: savedId }),
        });
        const record = orderRecord({ ...order, money: books.balance }, order.items, shop);
        return {
          id: payment.id,
          provider: payment.provider,
          result: present(checkoutPayment(payment, shop, masterKey), record),
        };
      });
      if (begun.provider === 'manual') return begun.result;
      await calls.advance(companyId, begun.id);
      const lane = db.points(companyId);
      const [shop, payment, order] = await Promise.all([
        shops.get(companyId),
        queries.findPayment(lane, companyId, begun.id),
        findOrder(lane, companyId, orderId),
      ]);
      requireNotDeclined(payment!);
      const record = orderRecord(found(order, 'order'), order!.items, shop);
      return present(checkoutPayment(payment!, shop, masterKey), record);
    },

    /** Asks the services of an order's payments how they are. Throws not_found. */
    async refreshOrder(companyId: number, orderId: number): Promise<void> {
      const payments = await queries.findPaymentsOfOrder(db.points(companyId), companyId, orderId);
      for (const payment of payments)
        if (payment.provider !== 'manual' && isOpen(payment)) await calls.hear(companyId, payment);
    },

    /**
     * Awaits no payment of an order any more, besides what was authorized; one of a service ends once that has cancelled it, which this waits
     * for. Throws not_found.
     */
    async stopAwaiting(caller: Caller, orderId: number): Promise<void> {
      const atServices = await withBooks(caller, orderId, async (_tx, books) => {
        books.stopUnauthorized();
        return books.operations.map(({ payment_id }) => payment_id);
      });
      for (const id of atServices) await calls.advance(caller.companyId, id);
    },

    /** Whether the newest payment of a cart was declined. */
    async wasDeclined(companyId: number, cartId: number): Promise<boolean> {
      return wasDeclined(await queries.findNewest(db.points(companyId), companyId, cartId));
    },

    /**
     * Ends a payment that is under way; one of a service ends once that has cancelled it, which this waits for. Throws not_found,
     * payment_not_awaited.
     */
    async cancelPayment(caller: Caller, id: number): Promise<PaymentDetail> {
      const { companyId } = caller;
      const payment = found(await queries.findPayment(db.points(companyId), companyId, id), 'payment');
      const { order_id: orderId, cart_id: cartId } = payment;
      return carriedOut(caller, id, () =>
        orderId === null
          ? cancelOfCart(caller, id, cartId!)
          : withBooks(caller, orderId, async (_tx, books, shop) => {
              const own = books.payments.find((one) => one.id === id)!;
              if (holdsWrong(own)) books.returnWrong(own);
              else {
                requireOpenPayment(own);
                books.stop(own);
              }
              return detail(own, shop);
            }),
      );
    },

    /**
     * Captures what a buyer has authorized, by default what is owed of it, and waits for the service. Throws not_found, validation_failed,
     * amount_too_large.
     */
    async capturePayment(caller: Caller, id: number, input: CaptureInput): Promise<PaymentDetail> {
      const { companyId } = caller;
      const payment = found(await queries.findPayment(db.points(companyId), companyId, id), 'payment');
      if (payment.order_id === null)
        throw new AppError('amount_too_large', 'The payment has no order yet', { available: 0 });
      const { order_id: orderId } = payment;
      return carriedOut(caller, id, () =>
        withBooks(caller, orderId, async (_tx, books, shop) => {
          const own = books.payments.find((one) => one.id === id)!;
          const isOwed = own.status === 'authorized' && !own.wrong;
          const left = isOwed ? own.authorized - own.captured - own.capture_pending : 0;
          const amount = readCapture(input, shop) ?? Math.min(left, books.capturable);
          if (amount > left || amount <= 0) {
            const available = fromMinor(left, shop.exponent);
            throw new AppError('amount_too_large', `At most ${available} can be captured`, { available });
          }
          books.capture(own, amount);
          return detail(own, shop);
        }),
      );
    },
  };

  /** As it is stored for an Idempotency-Key, which commits before the service is called. */
  function detail(payment: PaymentRow, shop: Shop): PaymentDetail {
    return { ...paymentRecord(payment, shop), operations: [] };
  }

  function payPage({ companyId, now }: Caller, orderId: number): string {
    return payUrl(tokenKey, origin(), { companyId, kind: 'order', id: orderId, expiresAt: payLinkEnd(now) });
  }

  async function cancelOfCart(caller: Caller, id: number, cartId: number): Promise<void> {
    const { companyId, now } = caller;
    const shop = await shops.get(companyId);
    await write(db, caller, async (tx) => {
      await carts.lockCart(tx, companyId, cartId);
      const [row] = await queries.lockPayments(tx, companyId, [id]);
      const payment = found(row, 'payment');
      if (!holdsWrong(payment)) requireOpenPayment(payment);
      // Placed in the meantime: it is the payment of an order now.
      if (payment.order_id !== null) throw new AppError('payment_not_awaited', 'The cart has been placed');
      if (holdsWrong(payment)) await returnOfCart(tx, caller, payment);
      else if (payment.provider === 'manual') await carts.releaseCarts(tx, companyId, [cartId], caller);
      else await insertOperations(tx, companyId, [cancellation(payment)], now);
      return detail({ ...payment, updated_at: now }, shop);
    });
  }

  async function returnOfCart(tx: Tx, { companyId, now }: Caller, payment: PaymentRow): Promise<void> {
    const amount = refundableOf(payment);
    payment.refund_pending += amount;
    payment.updated_at = now;
    await queries.savePayments(tx, companyId, [payment]);
    const refund = { payment_id: payment.id, refund_id: null, kind: 'refund', amount, input: null } as const;
    await insertOperations(tx, companyId, [refund, ...(isOpen(payment) ? [cancellation(payment)] : [])], now);
  }
}

/** Whether a payment has wrong money that nobody was asked to give back. */
function holdsWrong(payment: PaymentRow): boolean {
  return payment.wrong && refundableOf(payment) > 0;
}

/** The same, by the payment method that follows from it. */
type ChosenBalance = BalanceChoice & { methodId: number };

/** What a buyer chose to pay an order's balance with. */
interface BalanceChoice {
  /** Null with a saved method. */
  methodId: number | null;
  savedId?: number | null;
  /** The customer who is signed in, as is needed for a saved method. */
  signedIn?: number | null;
  expected?: number | null;
  isKept?: boolean;
  returnUrl?: string | null;
}

/** An order as its buyer pays it. `payments`: oldest first. */
interface Bill {
  order: Pick<OrderWithItems, 'money'>;
  owes: Minor;
  payments: readonly PaymentRow[];
}

/**
 * Returns the method by which the buyer pays; `isUnderWay`: a payment by it is. Throws payment_method_unavailable, nothing_to_pay,
 * total_changed, payment_in_progress if a service takes the money by another method, rate_limited after declines. Pure.
 */
function chosenMethod(
  shop: Shop,
  { order, owes, payments }: Bill,
  { methodId, expected = null, isKept = false }: ChosenBalance,
  now: Date,
): { method: PaymentMethod; isUnderWay: boolean } {
  if (owes <= 0 || (isKept && order.money === null))
    throw new AppError('nothing_to_pay', 'Nothing is owed for this order');
  const total = fromMinor(owes, shop.exponent);
  if (expected !== null && expected !== total) {
    throw new AppError('total_changed', 'The balance has changed', { total });
  }
  const method = methodFor(shop, methodId, { isStaff: false });
  checkTotal(method, owes);
  const awaited = payments.filter(isOpen);
  const other = awaited.find((one) => one.provider !== 'manual' && one.method_id !== methodId);
  if (other !== undefined) {
    throw new AppError('payment_in_progress', `The order is being paid by ${other.label}`, { payment_id: other.id });
  }
  const isUnderWay = awaited.some((one) => one.method_id === methodId);
  if (method.provider !== 'manual' && !isUnderWay) requireAttempt(payments, methodId, now);
  return { method, isUnderWay };
}

/** Throws validation_failed for too many decimals. */
function readCapture({ amount }: CaptureInput, shop: Shop): Minor | null {
  if (amount === undefined) return null;
  const errors: FieldError[] = [];
  const minor = readAmount('amount', amount, shop, errors);
  if (errors.length > 0) throw validationFailed(errors);
  return minor;
}

function requireRoom({ payments }: OrderBooks, most: number): void {
  if (payments.length < most) return;
  throw invalidField('method_id', `The order has ${payments.length} payments already`, 'too_many');
}

/** Throws payment_not_awaited. */
function requireOpenPayment(payment: PaymentRow): void {
  const { status } = payment;
  if (isOpen(payment)) return;
  throw new AppError('payment_not_awaited', `The payment is ${status}`, { status });
}
