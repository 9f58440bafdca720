import { versionIn } from '../../access/company-versions.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { AppError, found, invalidField, notFound } from '../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../lib/paging.ts';
import { enqueue } from '../../outbox/service.ts';
import { type LedgerEntry, postLedger } from '../loyalty/ledger.ts';
import { earnedPoints } from '../loyalty/points.ts';
import { fromMinor } from '../money.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type { HistoryEntry, Order, OrderInput, OrderQuery, StatusInput } from './contract.ts';
import { movedEvent } from './events.ts';
import { type OrderRequest, type Quote, quoteOrder, Remaining } from './placing/placement.ts';
import * as reading from './placing/placement-queries.ts';
import { readWorld } from './placing/placement-snapshot.ts';
import { createOrderPlacing, type PlacingDeps, requestOf } from './placing/placing.ts';
import * as queries from './queries.ts';
import { orderRecord } from './record.ts';
import { allowedFrom, canMove } from './status.ts';

export { ordersOfCustomer } from './export.ts';

export { lockWhatIsFree, soonOrFree, waitShortly } from './placing/held-orders.ts';
export { placeOrders } from './placing/placing.ts';

/** Throws not_found. */
export async function getOrder(db: Db, shop: Shop, id: number): Promise<Order> {
  const row = found(await queries.findOrder(db, shop.companyId, id), 'order');
  return orderRecord(row, row.items, shop);
}

export async function listOrders(db: Db, shop: Shop, query: OrderQuery): Promise<Page<Order>> {
  const page = pageOf(query);
  const filters = {
    status: query.status ?? null,
    isSubscription: query.is_subscription ?? null,
    dateFrom: query.date_from ?? null,
    dateTo: query.date_to ?? null,
  };
  const found =
    query.customer_id === undefined
      ? await queries.listOrders(db, shop.companyId, filters, page)
      : await queries.listCustomerOrders(db, shop.companyId, query.customer_id, filters, page);
  return { rows: found.rows.map((row) => orderRecord(row, row.items, shop)), total: found.total, ...page };
}

/** The orders that a subscription's renewals made. */
export async function listOrdersOfSubscription(
  db: Db,
  shop: Shop,
  subscriptionId: number,
  query: PageQuery,
): Promise<Page<Order>> {
  const page = pageOf(query);
  const found = await queries.listSubscriptionOrders(db, shop.companyId, subscriptionId, page);
  return { rows: found.rows.map((row) => orderRecord(row, row.items, shop)), total: found.total, ...page };
}

/** The orders of one customer. Throws not_found for an unknown customer. */
export async function listCustomerOrders(
  db: Db,
  shop: Shop,
  customerId: number,
  query: PageQuery,
): Promise<Page<Order>> {
  const [exists, page] = await Promise.all([
    queries.customerExists(db, shop.companyId, customerId),
    listOrders(db, shop, { ...query, customer_id: customerId }),
  ]);
  if (!exists) throw notFound('customer');
  return page;
}

/** What happened to the order, from its beginning on. Throws not_found. */
export async function listHistory(
  db: Db,
  companyId: number,
  id: number,
  query: PageQuery,
): Promise<Page<HistoryEntry>> {
  const page = pageOf(query);
  const [total, rows] = await Promise.all([
    queries.countHistory(db, companyId, id),
    queries.listHistory(db, companyId, id, page),
  ]);
  if (total === 0) found(await queries.findOrder(db, companyId, id), 'order');
  return { rows: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })), total, ...page };
}

/** Moves an order on. The same status again changes nothing but the tracking number. */
export async function updateStatus(
  db: Db,
  shops: ShopCache,
  caller: Caller,
  id: number,
  input: StatusInput,
): Promise<Order> {
  const { companyId } = caller;
  if (input.status === undefined && input.tracking_number === undefined) {
    throw invalidField('status', 'status or tracking_number is required', 'required');
  }
  return write(db, caller, async (tx) => {
    // In this order: what the order earns goes by the settings of the moment in which it is locked.
    const [locked, version] = await Promise.all([queries.lockOrder(tx, companyId, id), versionIn(tx, companyId)]);
    const order = found(locked, 'order');
    const shop = await shops.at(tx, companyId, version);
    const from = order.status;
    const to = input.status ?? from;
    if (to !== from && !canMove(from, to)) {
      const allowed = allowedFrom(from);
      throw new AppError('invalid_status_transition', `A ${from} order cannot become ${to}`, { from, to, allowed });
    }
    const trackingNumber = input.tracking_number === undefined ? order.tracking_number : input.tracking_number || null;
    if (to !== from || trackingNumber !== order.tracking_number) {
      await queries.updateStatus(tx, companyId, { id, status: to, trackingNumber, now: caller.now });
      order.updated_at = caller.now;
    }
    if (to !== from) await afterMove(tx, shop, caller, order, to);
    return orderRecord({ ...order, status: to, tracking_number: trackingNumber }, order.items, shop);
  });
}

async function afterMove(
  tx: Tx,
  shop: Shop,
  caller: Caller,
  order: queries.OrderWithItems,
  to: Order['status'],
): Promise<void> {
  const { companyId } = shop;
  const { actor, now } = caller;
  const history = { orderId: order.id, type: 'status', from: order.status, to, actor, message: null, now };
  await queries.insertHistory(tx, companyId, history);
  if (to !== 'cancelled' && to !== 'delivered') return;
  if (to === 'cancelled') await cancel(tx, shop, caller, order);
  else await earnOnDelivery(tx, shop, caller, order);
  const [customer] = await reading.findCustomers(tx, companyId, [order.customer_id]);
  const topic = to === 'cancelled' ? 'order_cancelled' : 'order_completed';
  await enqueue(tx, companyId, [movedEvent(topic, order, customer!, shop, now)]);
}

async function earnOnDelivery(tx: Tx, shop: Shop, caller: Caller, order: queries.OrderWithItems): Promise<void> {
  const { loyalty } = shop;
  if (!loyalty.enabled || loyalty.earn_on !== 'delivered') return;
  const earned = await queries.findOrderPoints(tx, shop.companyId, order.id);
  const points = earnedPoints(order.subtotal, order.discount, loyalty.points_per_dollar, shop.exponent);
  // An order placed while points were earned on placing has its points already.
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

/** Undoes what the order took. Locks in the order in which placing does: promo, stock, account. */
async function cancel(tx: Tx, shop: Shop, caller: Caller, order: queries.OrderWithItems): Promise<void> {
  const { companyId } = shop;
  if (order.promo_code_id !== null) await queries.returnPromo(tx, companyId, order.promo_code_id);
  await queries.restock(tx, companyId, order.id, caller.actor, caller.now);
  const posted = await queries.findOrderPoints(tx, companyId, order.id);
  const undone = { earn: 'reverse_earn', redeem: 'restore' } as const;
  const entries = posted.flatMap(({ type, points }): LedgerEntry[] => {
    if (type !== 'earn' && type !== 'redeem') return [];
    const { customer_id: customerId, id: orderId } = order;
    return [{ customerId, type: undone[type], points: -points, orderId, actor: caller.actor }];
  });
  await postLedger(tx, companyId, entries, caller.now);
}

/** What an order would come to, by the code that places it; nothing is locked or written. */
export async function quote(db: Queryable, shop: Shop, request: OrderRequest): Promise<Quote> {
  return quoteOrder(shop, new Remaining(await readWorld(db, shop.companyId, [request], false)), request);
}

/** The same as if there were stock enough, and whether there is: what a renewal will come to. */
export async function quoteWithoutStock(
  db: Queryable,
  shop: Shop,
  request: OrderRequest,
): Promise<{ quote: Quote; inStock: boolean }> {
  const world = await readWorld(db, shop.companyId, [request], false);
  const asked = new Map(request.items.map((item) => [item.product_id, item.qty]));
  const inStock = [...world.products.values()].every((product) => product.stock_qty >= asked.get(product.id)!);
  const stocked = [...world.products.values()].map(
    (product) => [product.id, { ...product, stock_qty: 9_999 }] as const,
  );
  return { quote: quoteOrder(shop, new Remaining({ ...world, products: new Map(stocked) }), request), inStock };
}

/** A promo code tried on a basket. Throws what placing the order would throw. */
export async function validatePromo(db: Db, shop: Shop, caller: Caller, input: OrderInput & { promo_code: string }) {
  const { priced, promo } = await quote(db, shop, requestOf(caller, input));
  const money = (minor: number): number => fromMinor(minor, shop.exponent);
  return {
    promo_code: promo!.code,
    valid: true,
    discount: money(priced.promo_discount),
    free_shipping: promo!.type === 'free_shipping',
    subtotal: money(priced.subtotal),
    shipping: money(priced.shipping),
    tax: money(priced.tax),
    total: money(priced.total),
  };
}

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createOrdersService(deps: PlacingDeps) {
  const { db, shops } = deps;
  return {
    ...createOrderPlacing(deps),
    listOrders: async (companyId: number, query: OrderQuery) =>
      listOrders(db.lists(companyId), await shops.get(companyId), query),
    listCustomerOrders: async (companyId: number, customerId: number, query: PageQuery) =>
      listCustomerOrders(db.lists(companyId), await shops.get(companyId), customerId, query),
    getOrder: async (companyId: number, id: number) => getOrder(db.points(companyId), await shops.get(companyId), id),
    listHistory: (companyId: number, id: number, query: PageQuery) =>
      listHistory(db.lists(companyId), companyId, id, query),
    updateStatus: (caller: Caller, id: number, input: StatusInput) =>
      updateStatus(db.points(caller.companyId), shops, caller, id, input),
    validatePromo: async (caller: Caller, input: OrderInput & { promo_code: string }) =>
      validatePromo(db.points(caller.companyId), await shops.get(caller.companyId), caller, input),
  };
}

export type OrdersService = ReturnType<typeof createOrdersService>;
