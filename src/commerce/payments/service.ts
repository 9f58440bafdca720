import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { AppError, found, invalidField } from '../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../lib/paging.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { enqueue } from '../../outbox/service.ts';
import { fromMinor } from '../money.ts';
import type { Order } from '../orders/contract.ts';
import { orderRecord } from '../orders/record.ts';
import { findBuyer, findOrder, lockOrder, type OrderWithItems, paidEvent } from '../orders/service.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type { OrderBooks } from './books.ts';
import type { Ledger, MoneyInput, Payment, PaymentQuery } from './contract.ts';
import { checkTotal, methodFor } from './methods/choose.ts';
import { openBooks } from './open.ts';
import type { PaymentRow } from './payment.ts';
import * as queries from './queries.ts';
import { readMoney } from './received.ts';
import { ledgerRecord, paymentRecord } from './record.ts';

/** Of one order: all of them are locked and read together. Buyers begin fewer, so that staff can always record theirs. */
const MAX_PAYMENTS = 100;
const MAX_BEFORE_BUYERS = 50;

export { createOrderPayable, createOrderPayLinks } from './order-pay-link.ts';
export { mailPayLink, type PayTarget, payLinkEnd, payUrl } from './pay-links.ts';

export interface PaymentsDeps {
  db: Db;
  shops: ShopCache;
  carts: {
    lockCart(tx: Tx, companyId: number, id: number): Promise<unknown>;
    /** Ends the payments of carts that are locked. */
    releaseCarts(tx: Tx, companyId: number, ids: readonly number[], by: { actor: string; now: Date }): Promise<void>;
  };
}

export type PaymentsService = ReturnType<typeof createPaymentsService>;

/** Payments and ledgers of orders. See docs/design/payments.md. */
export function createPaymentsService({ db, shops, carts }: PaymentsDeps) {
  /** Runs `change` with the order locked and its books open, then writes the books if a payment changed. Throws not_found. */
  async function withBooks<T>(
    caller: Caller,
    orderId: number,
    change: (tx: Tx, books: OrderBooks, shop: Shop, order: OrderWithItems) => Promise<T>,
  ): Promise<T> {
    const { companyId } = caller;
    const shop = await shops.get(companyId);
    return write(db, caller, async (tx) => {
      const order = found(await lockOrder(tx, companyId, orderId), 'order');
      const books = await openBooks(tx, shop, order, caller);
      const due = books.owed;
      const result = await change(tx, books, shop, order);
      if (books.changed.size === 0) return result;
      await Promise.all(queries.saveBooks(tx, companyId, [books]));
      if (due > 0 && books.owed <= 0) await announcePaid(tx, shop, caller, order);
      return result;
    });
  }

  async function announcePaid(tx: Tx, shop: Shop, caller: Caller, order: OrderWithItems): Promise<void> {
    const event = paidEvent(order, await findBuyer(tx, shop.companyId, order), shop, caller.now);
    await enqueue(tx, shop.companyId, [event], correlationOf(caller));
  }

  async function listPayments(companyId: number, query: PaymentQuery): Promise<Page<Payment>> {
    const [shop, page] = [await shops.get(companyId), pageOf(query)];
    const { status = null, order_id: orderId = null, due_before: dueBefore = null } = query;
    const filters = { status, orderId, dueBefore };
    const { rows, total } = await queries.listPayments(db.lists(companyId), companyId, filters, page);
    return { rows: rows.map((row) => paymentRecord(row, shop)), total, ...page };
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

    /** Throws not_found. */
    async getPayment(companyId: number, id: number): Promise<Payment> {
      const shop = await shops.get(companyId);
      return paymentRecord(found(await queries.findPayment(db.points(companyId), companyId, id), 'payment'), shop);
    },

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
     * Awaits what is owed for an order by a manual method, in place of other methods; a payment by it that is awaited already is taken.
     * `expected`: what the buyer was shown, in major units. `isKept`: only for an order that has a ledger. Throws not_found,
     * payment_method_unavailable, nothing_to_pay, total_changed.
     */
    async payBalance<T>(
      caller: Caller,
      orderId: number,
      { methodId, expected = null, isKept = false }: { methodId: number; expected?: number | null; isKept?: boolean },
      present: (payment: Payment, order: Order) => T,
    ): Promise<T> {
      return withBooks(caller, orderId, async (tx, books, shop, order) => {
        if (books.owed <= 0 || (isKept && order.money === null))
          throw new AppError('nothing_to_pay', 'Nothing is owed for this order');
        const total = fromMinor(books.owed, shop.exponent);
        if (expected !== null && expected !== total)
          throw new AppError('total_changed', 'The balance has changed', { total });
        const method = methodFor(shop, methodId, { isStaff: false });
        checkTotal(method, books.owed);
        requireRoom(books, MAX_BEFORE_BUYERS);
        const payment = paymentRecord(books.await(method, await queries.drawPaymentId(tx)), shop);
        return present(payment, orderRecord({ ...order, money: books.balance }, order.items, shop));
      });
    },

    /** Awaits no payment of an order any more. Throws not_found. */
    async stopAwaiting(caller: Caller, orderId: number): Promise<void> {
      await withBooks(caller, orderId, async (_tx, books) => books.stopAwaiting());
    },

    /** Stops awaiting a payment. Throws not_found, payment_not_awaited. */
    async cancelPayment(caller: Caller, id: number): Promise<Payment> {
      const { companyId } = caller;
      const payment = found(await queries.findPayment(db.points(companyId), companyId, id), 'payment');
      return payment.order_id === null
        ? cancelOfCart(caller, id, payment.cart_id!)
        : withBooks(caller, payment.order_id, async (_tx, books, shop) => {
            const own = books.payments.find((one) => one.id === id)!;
            requireAwaited(own);
            books.stop(own);
            return paymentRecord(own, shop);
          });
    },
  };

  async function cancelOfCart(caller: Caller, id: number, cartId: number): Promise<Payment> {
    const { companyId } = caller;
    const shop = await shops.get(companyId);
    return write(db, caller, async (tx) => {
      await carts.lockCart(tx, companyId, cartId);
      const payment = found(await queries.findPayment(tx, companyId, id), 'payment');
      requireAwaited(payment);
      // Placed in the meantime: it is the payment of an order now.
      if (payment.order_id !== null) throw new AppError('payment_not_awaited', 'The cart has been placed');
      await carts.releaseCarts(tx, companyId, [cartId], caller);
      return paymentRecord({ ...payment, status: 'cancelled', updated_at: caller.now }, shop);
    });
  }
}

function requireRoom({ payments }: OrderBooks, most: number): void {
  if (payments.length < most) return;
  throw invalidField('method_id', `The order has ${payments.length} payments already`, 'too_many');
}

/** Throws payment_not_awaited. */
function requireAwaited({ status }: PaymentRow): void {
  if (status === 'action_required') return;
  throw new AppError('payment_not_awaited', `The payment is ${status}`, { status });
}
