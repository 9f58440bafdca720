import { isDeepStrictEqual } from 'node:util';
import { versionIn } from '../../access/company-versions.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { AppError, type FieldError, found, invalidField, validationFailed } from '../../errors.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { enqueue } from '../../outbox/service.ts';
import { readDefinitions } from '../custom-fields/context.ts';
import { contextOf, type Definitions, mergeCustom } from '../custom-fields/values.ts';
import { type ReturnedLine, returnStock } from '../inventory/stock.ts';
import { type LedgerEntry, postLedger } from '../loyalty/ledger.ts';
import { earnedPoints } from '../loyalty/points.ts';
import { openBooks } from '../payments/open.ts';
import { saveBooks } from '../payments/queries.ts';
import { findRestocked } from '../payments/refunds/queries.ts';
import { countPromoUses } from '../promotions/uses.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type { Order, StatusInput } from './contract.ts';
import { shippedEvent, statusEvent } from './events.ts';
import * as queries from './queries.ts';
import { orderRecord } from './record.ts';
import { allowedFrom, canMove } from './status.ts';

/**
 * Changes an order's status, if status.ts allows it, its tracking number or its custom values. Repeating the same status changes only the tracking number.
 * Throws not_found, validation_failed, invalid_status_transition.
 */
export async function changeStatus(
  db: Db,
  shops: ShopCache,
  caller: Caller,
  id: number,
  input: StatusInput,
): Promise<Order> {
  if (input.status === undefined && input.tracking_number === undefined && input.custom === undefined) {
    throw invalidField('status', 'status, tracking_number or custom is required', 'required');
  }
  if (input.carrier && input.status !== 'shipped') {
    throw invalidField('carrier', 'carrier is allowed only with the status shipped', 'not_allowed');
  }
  const { companyId } = caller;
  return write(db, caller, async (tx) => {
    const definitions = input.custom === undefined ? null : await readDefinitions(tx, companyId, [input.custom]);
    return changeIn(tx, shops, caller, { id, input, definitions });
  });
}

/** Sets an order's status to shipped, in the caller's transaction. Throws not_found, invalid_status_transition. */
export async function shipOrder(tx: Tx, shops: ShopCache, caller: Caller, id: number): Promise<void> {
  await changeIn(tx, shops, caller, { id, input: { status: 'shipped' }, definitions: null });
}

async function changeIn(
  tx: Tx,
  shops: ShopCache,
  caller: Caller,
  { id, input, definitions }: { id: number; input: StatusInput; definitions: Definitions | null },
): Promise<Order> {
  const { companyId } = caller;
  // The version is read after the lock: points are earned by the settings of that moment.
  const [locked, version] = await Promise.all([queries.holdOrder(tx, companyId, id), versionIn(tx, companyId)]);
  const { order, buyer } = found(locked, 'order');
  const shop = await shops.at(tx, companyId, version);
  const from = order.status;
  const to = input.status ?? from;
  if (to !== from && !canMove(from, to)) {
    const allowed = allowedFrom(from);
    throw new AppError('invalid_status_transition', `A ${from} order cannot become ${to}`, { from, to, allowed });
  }
  const trackingNumber = input.tracking_number === undefined ? order.tracking_number : input.tracking_number || null;
  const errors: FieldError[] = [];
  const custom = mergeCustom(contextOf(shop, definitions), 'order', input.custom, order.custom, errors);
  if (errors.length > 0) throw validationFailed(errors);
  if (to !== from || trackingNumber !== order.tracking_number || !isDeepStrictEqual(custom, order.custom)) {
    await queries.updateStatus(tx, companyId, { id, status: to, trackingNumber, custom, now: caller.now });
    order.updated_at = caller.now;
  }
  if (to !== from) {
    const parcel = { trackingNumber, carrier: input.carrier || null };
    await afterStatusChange(tx, shop, caller, { order, buyer }, to, parcel);
  }
  return orderRecord({ ...order, status: to, tracking_number: trackingNumber, custom }, order.items, shop);
}

interface Parcel {
  trackingNumber: string | null;
  /** Kept in the order's history and in the event. */
  carrier: string | null;
}

/** The event of an order that reaches a status. */
const TOPICS: Partial<Record<Order['status'], 'order_shipped' | 'order_completed' | 'order_cancelled'>> = {
  shipped: 'order_shipped',
  delivered: 'order_completed',
  cancelled: 'order_cancelled',
};

async function afterStatusChange(
  tx: Tx,
  shop: Shop,
  caller: Caller,
  { order, buyer }: queries.HeldOrder,
  to: Order['status'],
  parcel: Parcel,
): Promise<void> {
  const { companyId } = shop;
  const { actor, now } = caller;
  const entry = { orderId: order.id, type: 'status', from: order.status, to, actor, message: parcel.carrier, now };
  await queries.insertHistory(tx, companyId, entry);
  const topic = TOPICS[to];
  if (topic === undefined) return;
  if (to === 'cancelled') await cancel(tx, shop, caller, order);
  if (to === 'shipped' && order.money !== null) await captureOnShipped(tx, shop, caller, order);
  if (to === 'delivered') await earnOnDelivery(tx, shop, caller, order);
  const event =
    topic === 'order_shipped'
      ? shippedEvent(order, buyer, shop, parcel, now)
      : statusEvent(topic, order, buyer, shop, now);
  await enqueue(tx, companyId, [event], correlationOf(caller));
}

async function earnOnDelivery(tx: Tx, shop: Shop, caller: Caller, order: queries.OrderWithItems): Promise<void> {
  const { loyalty } = shop;
  if (!loyalty.enabled || loyalty.earn_on !== 'delivered') return;
  const earned = await findOrderPoints(tx, shop.companyId, order.id);
  const points = earnedPoints(order.subtotal, order.discount, loyalty.points_per_dollar, shop.exponent);
  // If placing still earned points when the order was placed, the order has them already.
  if (points === 0 || earned.some((entry) => entry.type === 'earn')) return;
  const entry = {
    customerId: order.customer_id,
    type: 'earn',
    points,
    orderId: order.id,
    actor: caller.actor,
  } as const;
  await postLedger(tx, shop.companyId, [entry], caller.now);
}

/** Has the services capture what buyers have authorized by methods that say so. */
async function captureOnShipped(tx: Tx, shop: Shop, caller: Caller, order: queries.OrderWithItems): Promise<void> {
  const methods = new Set(shop.paymentMethods.filter(({ capture }) => capture === 'on_shipped').map(({ id }) => id));
  if (methods.size === 0) return;
  const books = await openBooks(tx, shop, order, caller);
  for (const payment of books.payments) {
    if (payment.wrong || payment.status !== 'authorized' || !methods.has(payment.method_id)) continue;
    const left = payment.authorized - payment.captured - payment.capture_pending;
    const amount = Math.min(left, books.capturable);
    if (amount > 0) books.capture(payment, amount);
  }
  await Promise.all(saveBooks(tx, shop.companyId, [books]));
}

/**
 * Returns stock, promo code use and points, and takes back what was charged. Locks in the same order as placing does: payments, promo code,
 * stock, account.
 */
async function cancel(tx: Tx, shop: Shop, caller: Caller, order: queries.OrderWithItems): Promise<void> {
  const { companyId } = shop;
  if (order.money !== null) {
    const books = await openBooks(tx, shop, order, caller);
    books.cancel({ refunds: shop.checkout.refund_on_cancel });
    await Promise.all(saveBooks(tx, companyId, [books]));
    order.money = books.balance;
  }
  if (order.promo_code_id !== null) await countPromoUses(tx, companyId, new Map([[order.promo_code_id, -1]]));
  await returnStock(
    tx,
    companyId,
    { orderId: order.id, lines: await unreturned(tx, companyId, order), kind: 'cancel' },
    caller,
  );
  const posted = await findOrderPoints(tx, companyId, order.id);
  const undone = { earn: 'reverse_earn', redeem: 'restore' } as const;
  const entries = posted.flatMap(({ type, points }): LedgerEntry[] => {
    if (type !== 'earn' && type !== 'redeem') return [];
    const { customer_id: customerId, id: orderId } = order;
    return [{ customerId, type: undone[type], points: -points, orderId, actor: caller.actor }];
  });
  await postLedger(tx, companyId, entries, caller.now);
}

/** The units of the order's lines that no refund has returned to the stock. */
async function unreturned(tx: Tx, companyId: number, order: queries.OrderWithItems): Promise<ReturnedLine[]> {
  const restocked = order.money === null ? new Map() : await findRestocked(tx, companyId, order.id);
  return order.items.map(({ id: lineId, qty }) => ({ lineId, qty: qty - (restocked.get(lineId) ?? 0) }));
}

/** Returns the order's entries in the loyalty ledger. */
async function findOrderPoints(
  tx: Tx,
  companyId: number,
  orderId: number,
): Promise<{ type: string; points: number }[]> {
  return tx.query(sql`
    select type, points from loyalty_ledger where company_id = ${companyId} and order_id = ${orderId}`);
}
