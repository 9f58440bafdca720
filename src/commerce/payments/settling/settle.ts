import { isDeepStrictEqual } from 'node:util';
import type { MasterKey } from '../../../access/master-key.ts';
import type { Caller } from '../../../caller.ts';
import type { Clock } from '../../../clock.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { AppError, found } from '../../../errors.ts';
import { enqueue, type OutboxEvent } from '../../../outbox/service.ts';
import { holdOrder, type OrderingCustomer, paidEvent } from '../../orders/service.ts';
import type { Shop, ShopCache } from '../../shop.ts';
import { isUsedUp } from '../attempts.ts';
import { openBooks } from '../open.ts';
import { cancellation, isRenewing, type NewOperation, type OperationRow, schedule } from '../operations/operation.ts';
import { type Ending, endOperation, findOperations, insertOperations, openOperations } from '../operations/queries.ts';
import { isOpen, isRefusedLater, type PaymentRow } from '../payment.ts';
import type { DeclineCode, Facts, NextAction } from '../providers/provider.ts';
import * as queries from '../queries.ts';
import { failRefund, findReasons, settleRefunds } from '../refunds/queries.ts';
import { refundableOf } from '../refunds/shares.ts';
import { insertSavedMethods } from '../saved/queries.ts';
import { savedMethodOf } from '../saved/saved-method.ts';
import type { PaymentStatus } from '../status.ts';
import { ACTOR, entryEvents, type PaymentTopic, paymentEvent, type SettledBuyer } from './events.ts';
import { applyFacts, hadMoney, hasMoney, isWrong, NO_OPERATIONS, type OpenOperations } from './facts.ts';
import { isOvertaken, type PaidCart } from './paid-cart.ts';

/** What a service said of a payment, or that it refused to begin it. */
export interface News {
  /** Null: a start or a charge was declined. */
  facts: Facts | null;
  /** How often the payment was settled when its service was asked. */
  seen: number;
  /** The operation whose outcome it is. */
  ending: Ending | null;
  next: NextAction | null;
  /** Why a start or a charge was declined. */
  failure: { code: DeclineCode; message: string } | null;
  /** Whether the buyer sees a failure at once, in the response. */
  isShown: boolean;
}

/** The carts of payments, which their own folder changes. */
export interface SettledCarts {
  /** Null: the cart was deleted. */
  statusOf(companyId: number, id: number): Promise<string | null>;
  /** Returns the cart's buyer, who is not erased before COMMIT; null without an address. Called before the cart is locked. */
  holdBuyer(tx: Tx, companyId: number, id: number): Promise<SettledBuyer | null>;
  lockCart(
    tx: Tx,
    companyId: number,
    id: number,
  ): Promise<{ status: string; subscription_id: number | null } | undefined>;
  /** Ends the reservation of a cart that is locked, and opens it. */
  releaseCarts(tx: Tx, companyId: number, ids: readonly number[], by: { actor: string; now: Date }): Promise<void>;
  /** Sets the goods of a cart that is locked aside until then, if they would be free earlier. */
  extendReservation(tx: Tx, companyId: number, cartId: number, until: Date): Promise<void>;
  /**
   * Places the order of a reserved or expired cart with what the service says of its payment. Returns false if the cart has changed. Throws what
   * placing throws.
   */
  placePaid(caller: Caller, cartId: number, paid: PaidCart): Promise<boolean>;
}

export interface SettlingDeps {
  db: Db;
  clock: Clock;
  shops: ShopCache;
  carts: SettledCarts;
  masterKey: Pick<MasterKey, 'seal'>;
  /** Return where a cart or an order can be paid, at the given time. */
  cartPayUrl: (companyId: number, cartId: number, now: Date) => string;
  orderPayUrl: (companyId: number, orderId: number, now: Date) => string;
  /** Called after each settlement, which may have queued events. */
  onSettled: () => void;
}

const MOST_ATTEMPTS = 5;
const HOUR_MS = 3_600_000;
/** After which a service is asked again for what it has refused. */
const ASKS_AGAIN_MS = 12 * HOUR_MS;
/** How long goods stay set aside while a service says `processing`. */
const MOST_PROCESSING_MS = 14 * 24 * HOUR_MS;

/** Money that pays no order. */
interface HeldMoney {
  facts: Facts;
  open: ReturnType<typeof openOperations>;
  before: readonly OperationRow[];
  isWrongMoney: boolean;
  now: Date;
}

export type Settling = ReturnType<typeof createSettling>;

/**
 * Applies what services say of payments, each in one transaction: to the books of its order, or to its cart, which is placed or opened again.
 * Money for which there is no order gets one or is given back. See docs/design/payments.md.
 */
export function createSettling(deps: SettlingDeps) {
  const { db, clock, shops, carts, masterKey, cartPayUrl, orderPayUrl, onSettled } = deps;

  /** Settles a payment, as it was read before its service was asked. What a service says a second time changes nothing. */
  async function settle(companyId: number, read: PaymentRow, news: News): Promise<void> {
    const shop = await shops.get(companyId);
    let payment = read;
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      if (await settleAs(shop, payment, news)) return onSettled();
      payment = found(await queries.findPayment(db.points(companyId), companyId, read.id), 'payment');
    }
    throw new Error(`Payment ${read.id} kept changing while it was settled`);
  }

  /** Returns false if the payment is not as it was read. */
  async function settleAs(shop: Shop, payment: PaymentRow, news: News): Promise<boolean> {
    if (payment.order_id !== null) {
      if (isKnown(shop, payment, news)) return settleKnown(shop.companyId, payment);
      return settleOrder(shop, payment, payment.order_id, news);
    }
    if (payment.cart_id === null) throw new Error(`Payment ${payment.id} has neither cart nor order`);
    const { facts } = news;
    if (facts === null || !(pays(shop, payment, facts) || hasMoney(payment, facts)))
      return settleCart(shop, payment, news);
    const status = await carts.statusOf(shop.companyId, payment.cart_id);
    const isReserved = isOpen(payment) && status === 'paying';
    if (isReserved && pays(shop, payment, facts)) return place(shop, payment, news, facts);
    if (!isReserved && hasMoney(payment, facts)) return placeLate(shop, payment, news, { facts, status });
    return settleCart(shop, payment, news);
  }

  async function settleOrder(shop: Shop, read: PaymentRow, orderId: number, news: News): Promise<boolean> {
    const { companyId } = shop;
    const now = clock.now();
    return db.tenantTx(companyId, async (tx) => {
      const { order, buyer: customer } = found(await holdOrder(tx, companyId, orderId), 'order');
      const books = await openBooks(tx, shop, order, { actor: ACTOR, now });
      const payment = books.payments.find(({ id }) => id === read.id)!;
      const { entered, byHand, operations } = await queries.findHistory(tx, companyId, payment);
      if (!(await isNewest(tx, companyId, news, now))) return true;
      const open = openOperations(ended(operations, news.ending), now);
      const refundOf = new Map(operations.map(({ id, refund_id }) => [id, refund_id]));
      const refused = news.ending?.state === 'declined' ? (refundOf.get(news.ending.id) ?? null) : null;
      if (refused !== null) await failRefund(tx, companyId, refused);
      const [due, { captured, status: before }, isNew] = [books.owed, { ...payment }, !hadMoney(payment)];
      const { facts } = news;
      let isReturned = false;
      if (facts === null) {
        declined(payment, news, open);
        books.changed.add(payment);
      } else {
        books.settle(payment, { facts, open, entered, byHand, refundOf, isFresh: news.seen === payment.fetches });
        noteNext(payment, news);
        if (isCancelable(payment, news) && !open.cancels && isUsedUp(payment, books.payments)) books.stop(payment);
        if (payment.wrong && hasMoney(payment, facts)) {
          const past = operations.filter(isReturn);
          const held = { facts, open, before: past, isWrongMoney: true, now };
          const asked = giveBack(shop, payment, held);
          books.operations.push(...asked);
          isReturned = asked.length > 0 && (isNew || past.length === 0);
        }
        // The order was cancelled while the service took the money.
        if (order.status === 'cancelled' && payment.captured > captured) {
          books.cancel({ refunds: shop.checkout.refund_on_cancel });
        }
      }
      scheduleFetch(payment, news, { read, now });
      await Promise.all(queries.saveBooks(tx, companyId, [books]));
      if (facts !== null) await settleRefunds(tx, companyId, facts.refunds, refundOf);
      const saved = facts && savedMethodOf(masterKey, payment, facts);
      if (saved !== null && !order.guest) {
        await insertSavedMethods(tx, companyId, [{ ...saved, customer_id: order.customer_id }], now);
      }
      const hasExpired =
        before === 'authorized' && payment.status === 'cancelled' && !isCancelled(ended(operations, news.ending));
      const isUnseen =
        order.status !== 'cancelled' && books.owed > 0 && (hasExpired || hasFailedUnseen(before, payment, news));
      if (books.owed === due && books.entries.length === 0 && !isUnseen && !isReturned) return true;
      const reasons = await findReasons(tx, companyId, orderId);
      const events = [
        ...(due > 0 && books.owed <= 0 && books.hasReceived ? [paidEvent(order, customer, shop, now)] : []),
        ...entryEvents({ order, customer, shop, reasons, now }, books.entries),
        ...(isUnseen ? toldOfOrder(shop, 'payment_failed', payment, { customer, now }) : []),
        ...(isReturned ? toldOfOrder(shop, 'payment_returned', payment, { customer, now }) : []),
      ];
      if (events.length > 0) await enqueue(tx, companyId, events, null);
      return true;
    });
  }

  /** Returns what the buyer of an order is told, who may have no address. */
  function toldOfOrder(
    shop: Shop,
    topic: PaymentTopic,
    payment: PaymentRow,
    { customer: { id: customerId, email, first_name, last_name }, now }: { customer: OrderingCustomer; now: Date },
  ): OutboxEvent[] {
    if (email === null) return [];
    const buyer = { customerId, email, first_name, last_name };
    const payUrl = orderPayUrl(shop.companyId, payment.order_id!, now);
    return [paymentEvent(shop, topic, { payment, buyer, payUrl, now })];
  }

  /** Nothing is new: only the next fetch is planned. Returns false if something was settled since. */
  async function settleKnown(companyId: number, payment: PaymentRow): Promise<boolean> {
    const planned = { ...payment };
    schedule(planned, clock.now());
    return queries.planFetch(db.writes(companyId), companyId, planned, payment);
  }

  /** Places the order of a cart whose payment has succeeded. */
  async function place(shop: Shop, payment: PaymentRow, news: News, facts: Facts): Promise<boolean> {
    const { companyId } = shop;
    if (isOvertaken(payment, { facts, seen: news.seen })) return settleCart(shop, payment, news);
    if (await isBeingVoided(shop, payment, news)) return settleCart(shop, payment, news);
    return carts.placePaid(callerOf(companyId), payment.cart_id!, paidBy(payment, news, facts));
  }

  /** Whether a service was asked to release what is authorized, which it may do later: what becomes of the cancellation counts. */
  async function isBeingVoided({ companyId }: Shop, { id }: PaymentRow, { facts, ending }: News): Promise<boolean> {
    if (facts!.captured > 0) return false;
    return isCancelled(ended(await findOperations(db.points(companyId), companyId, id), ending));
  }

  /** Places the order of money that came after its reservation had ended, or gives the money back. */
  async function placeLate(
    shop: Shop,
    payment: PaymentRow,
    news: News,
    { facts, status }: { facts: Facts; status: string | null },
  ): Promise<boolean> {
    const { companyId } = shop;
    const isEnough = Math.max(facts.authorized, facts.captured) >= payment.amount;
    const isWhole = isEnough && facts.refunds.length === 0 && payment.refund_pending === 0;
    const isOld = isOvertaken(payment, { facts, seen: news.seen });
    if (status !== 'expired' || !isWhole || isOld || isWrong(payment, facts, shop.currency))
      return settleCart(shop, payment, news);
    if (await isBeingVoided(shop, payment, news)) return settleCart(shop, payment, news);
    const paid = paidBy(payment, news, facts);
    return carts.placePaid(callerOf(companyId), payment.cart_id!, paid).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return settleCart(shop, payment, news);
    });
  }

  function paidBy(payment: PaymentRow, { ending, seen }: News, facts: Facts): PaidCart {
    return { paymentId: payment.id, facts, seen, ending, saved: savedMethodOf(masterKey, payment, facts) };
  }

  async function settleCart(shop: Shop, read: PaymentRow, news: News): Promise<boolean> {
    const { companyId } = shop;
    const cartId = read.cart_id!;
    const now = clock.now();
    const mayTell =
      news.facts === null ||
      news.facts.failure !== null ||
      news.facts.status === 'failed' ||
      hasMoney(read, news.facts);
    return db.tenantTx(companyId, async (tx) => {
      const buyer = mayTell ? await carts.holdBuyer(tx, companyId, cartId) : null;
      const [cart, [payment], operations] = await Promise.all([
        carts.lockCart(tx, companyId, cartId),
        queries.lockPayments(tx, companyId, [read.id]),
        findOperations(tx, companyId, read.id),
      ]);
      if (payment === undefined || payment.order_id !== null || payment.status !== read.status) return false;
      if (!(await isNewest(tx, companyId, news, now))) return true;
      const open = openOperations(ended(operations, news.ending), now);
      const wasOpen = isOpen(payment);
      const { facts } = news;
      const before = { ...payment };
      const isNew = facts !== null && !hadMoney(payment);
      if (facts === null) declined(payment, news, open);
      else {
        const isFresh = news.seen === payment.fetches;
        applyFacts(payment, facts, { open, currency: shop.currency, isFresh, byHand: 0 });
        noteNext(payment, news);
      }
      const isReserved = cart?.status === 'paying' && wasOpen;
      const isWrongMoney = facts !== null && isMisfit(shop, payment, facts);
      const tell = (topic: PaymentTopic): Promise<void> => announce(tx, shop, topic, { payment, buyer, now });
      if (facts !== null && (isWrongMoney || !isReserved) && hasMoney(payment, facts)) {
        const past = operations.filter(isReturn);
        const asked = giveBack(shop, payment, { facts, open, before: past, isWrongMoney, now });
        if (asked.length > 0) await insertOperations(tx, companyId, asked, now);
        if (asked.length > 0 && (isNew || past.length === 0)) await tell('payment_returned');
      } else if (isCancelable(payment, news) && !open.cancels) {
        // The service could not cancel it when the reservation ended, or the buyer has tried too many cards.
        const mayBeUsedUp = payment.declines > 0 && !isRefused(operations, now);
        const mustEnd =
          !isReserved || (mayBeUsedUp && isUsedUp(payment, await queries.findAttempts(tx, companyId, cartId)));
        if (mustEnd) await insertOperations(tx, companyId, [{ ...cancellation(payment), isAwaited: false }], now);
      }
      // The pause after declines begins when the payment ends.
      if (wasOpen || !isDeepStrictEqual(payment, before)) payment.updated_at = now;
      scheduleFetch(payment, news, { read, now });
      await queries.savePayments(tx, companyId, [payment]);
      if (!isReserved) return true;
      if (payment.status === 'processing') {
        const until = Math.min(now.getTime() + 2 * HOUR_MS, payment.created_at.getTime() + MOST_PROCESSING_MS);
        await carts.extendReservation(tx, companyId, cartId, new Date(until));
      }
      const isUnseen = hasFailedUnseen(read.status, payment, news);
      if (isOpen(payment) && !isWrongMoney) {
        if (isUnseen) await tell('payment_failed');
        return true;
      }
      await carts.releaseCarts(tx, companyId, [cartId], { actor: ACTOR, now });
      // Of a renewal, its subscription tells the customer. Staff charge carts of other kinds as well.
      const isRenewal = cart.subscription_id !== null && operations.some(isRenewing);
      if (isUnseen && !isRenewal) await tell('payment_failed');
      return true;
    });
  }

  async function announce(
    tx: Tx,
    shop: Shop,
    topic: PaymentTopic,
    { payment, buyer, now }: { payment: PaymentRow; buyer: SettledBuyer | null; now: Date },
  ): Promise<void> {
    if (buyer === null) return;
    const url = cartPayUrl(shop.companyId, payment.cart_id!, now);
    await enqueue(tx, shop.companyId, [paymentEvent(shop, topic, { payment, buyer, payUrl: url, now })], null);
  }

  /**
   * Returns what the service is asked for so that it gives back money that pays no order. What it has refused or not done yet it is asked for
   * again after hours; until then, somebody should look. `before`: what it was asked for so far.
   */
  function giveBack(
    shop: Shop,
    payment: PaymentRow,
    { facts, open, before, isWrongMoney, now }: HeldMoney,
  ): NewOperation[] {
    if (isWrongMoney && shop.checkout.wrong_amount === 'hold') return [];
    const { id: payment_id } = payment;
    const isWaiting = open.cancels || open.refunds.length > 0;
    const lately = before.filter(({ created_at }) => now.getTime() - created_at.getTime() < ASKS_AGAIN_MS);
    const isUnderWay = (id: number): boolean => open.refunds.some((one) => one.id === id);
    const isGiven = (id: number): boolean =>
      facts.refunds.some((one) => one.operationId === id && one.status !== 'failed');
    const isRefused = lately.some(({ kind, id }) => kind === 'refund' && !isUnderWay(id) && !isGiven(id));
    const amount = isRefused ? 0 : refundableOf(payment);
    if (amount > 0) payment.refund_pending += amount;
    const isAuthorized = payment.authorized > payment.captured && !open.cancels;
    const isReleased = lately.some(({ kind, state }) => kind === 'cancel' && state !== 'declined');
    const operations: NewOperation[] = [
      ...(amount > 0 ? [{ payment_id, refund_id: null, kind: 'refund' as const, amount, input: null }] : []),
      ...(isAuthorized && !isReleased ? [cancellation(payment)] : []),
    ];
    if (operations.length === 0 && !isWaiting) payment.attention ??= 'uncertain';
    return operations;
  }

  /** Whether nobody has taken the operation since; then its ending is written. */
  async function isNewest(tx: Tx, companyId: number, { ending }: News, now: Date): Promise<boolean> {
    return ending === null || endOperation(tx, companyId, ending, now);
  }

  function noteNext(payment: PaymentRow, { next }: News): void {
    if (next === null || payment.status !== 'action_required') return;
    payment.next_action = masterKey.seal(JSON.stringify(next)).toString('base64');
  }

  function callerOf(companyId: number): Caller {
    return { companyId, actor: ACTOR, requestId: ACTOR, now: clock.now(), idempotency: null };
  }

  return { settle };
}

/** Whether the facts of a payment with an order say what is known already. */
function isKnown({ currency }: Shop, payment: PaymentRow, { facts, ending, seen }: News): boolean {
  const { refunded, capture_pending, refund_pending, fetches } = payment;
  // What is saved may come later than the money.
  // Wrong money that the service has refused to give back is asked for again.
  if (payment.wrong || facts === null || facts.savedMethod !== null || ending !== null || seen !== fetches)
    return false;
  if (refunded + capture_pending + refund_pending > 0 || facts.refunds.length > 0) return false;
  const told = { ...payment };
  applyFacts(told, facts, { open: NO_OPERATIONS, currency, isFresh: true, byHand: 0 });
  return isDeepStrictEqual(told, payment);
}

/** Whether the cart of the payment becomes an order. */
function pays({ currency, paymentMethods }: Shop, payment: PaymentRow, facts: Facts): boolean {
  if (isWrong(payment, facts, currency)) return false;
  const { status, captured, authorized } = facts;
  if (captured >= payment.amount) return true;
  if (status === 'authorized') return authorized >= payment.amount;
  const method = paymentMethods.find(({ id }) => id === payment.method_id);
  return status === 'processing' && method?.places === 'at_once';
}

/** Returns the operations with that whose outcome is settled as it ends. */
function ended(operations: readonly OperationRow[], ending: Ending | null): OperationRow[] {
  return operations.map((one) => (one.id === ending?.id ? { ...one, state: ending.state } : one));
}

/** Whether the service was asked to cancel a payment, and has not refused to. */
function isCancelled(operations: readonly OperationRow[]): boolean {
  return operations.some(({ kind, state }) => kind === 'cancel' && state !== 'declined');
}

/** Whether the service has refused to cancel a payment lately. */
function isRefused(operations: readonly OperationRow[], now: Date): boolean {
  return operations.some(
    ({ kind, state, created_at }) =>
      kind === 'cancel' && state === 'declined' && now.getTime() - created_at.getTime() < ASKS_AGAIN_MS,
  );
}

/** Whether an operation gives money back, or releases it. */
function isReturn({ kind }: OperationRow): boolean {
  return kind === 'refund' || kind === 'cancel';
}

/** Whether the buyer can still pay, and the service would end that, as a fetch shows. */
function isCancelable({ status }: PaymentRow, { facts, ending }: News): boolean {
  return status === 'action_required' && facts?.cancelable === true && ending === null;
}

/** Whether money was taken that is not what the buyer owes. */
function isMisfit({ currency }: Shop, payment: PaymentRow, facts: Facts): boolean {
  const isPart = facts.status === 'captured' && facts.captured > 0 && facts.captured < payment.amount;
  return isPart || isWrong(payment, facts, currency);
}

/** What was asked of a payment that never began, such as to cancel it, says nothing of why it failed. */
function declined(payment: PaymentRow, { failure }: News, { isUncertain }: OpenOperations): void {
  payment.status = 'failed';
  payment.failure = failure ?? payment.failure;
  payment.attention = isUncertain ? 'uncertain' : null;
}

/**
 * Whether a payment has failed while the buyer was not there to see it: for good, or, as by a bank after days, so that the buyer can try again.
 */
function hasFailedUnseen(before: PaymentStatus, payment: PaymentRow, { isShown }: News): boolean {
  if (isShown || payment.status === before) return false;
  return payment.status === 'failed' || isRefusedLater(before, payment);
}

/** Something was settled, or a webhook came, since the service was asked: its reply may be old, so it is asked again. */
function scheduleFetch(payment: PaymentRow, { seen }: News, { read, now }: { read: PaymentRow; now: Date }): void {
  const isFresh = seen === payment.fetches;
  const isHinted =
    payment.fetch_at !== null && payment.fetch_at <= now && !isDeepStrictEqual(payment.fetch_at, read.fetch_at);
  schedule(payment, now);
  if (!isFresh || isHinted) payment.fetch_at = now;
}
