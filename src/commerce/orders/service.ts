import type { Caller } from '../../access/caller.ts';
import { versionIn } from '../../access/company-versions.ts';
import { type Batcher, createBatcher, type Settled } from '../../db/batch.ts';
import { write } from '../../db/idempotency.ts';
import { type BatchWork, runBatch } from '../../db/idempotent-batch.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { AppError, found, invalidField, notFound } from '../../errors.ts';
import type { Page } from '../../http/endpoint.ts';
import { type PageQuery, pageOf } from '../../http/schemas.ts';
import { enqueue } from '../../outbox/service.ts';
import { type LedgerEntry, postLedger } from '../loyalty/ledger.ts';
import { earnedPoints } from '../loyalty/points.ts';
import { fromMinor } from '../money.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type { HistoryEntry, Order, OrderInput, OrderQuery, StatusInput } from './contract.ts';
import { movedEvent, placedEvent } from './events.ts';
import { createHeldOrders, Held, lockWhatIsFree, soonOrFree, waitShortly } from './held.ts';
import { decide, type OrderRequest, type Quote, quoteOrder, Remaining } from './placement.ts';
import * as reading from './placement-queries.ts';
import * as queries from './queries.ts';
import { orderRecord } from './record.ts';
import { allowedFrom, canMove } from './status.ts';
import { readWorld } from './world.ts';

export { ordersOfCustomer } from './export.ts';

const MAX_BATCH = 64;
const MAX_IN_FLIGHT = 4;
/** Half of them: a company whose orders wait for a lock leaves the others their way. */
const MAX_PER_COMPANY = 2;

export { lockWhatIsFree, soonOrFree, waitShortly };

export interface OrdersService {
  /** Places an order in a shared transaction with others that came at the same time. */
  place(caller: Caller, input: OrderInput): Promise<Order>;
  drained(): Promise<void>;
}

interface Member {
  caller: Caller;
  request: OrderRequest;
  /** What the last try found to be held by others. */
  held: readonly string[];
}

/** `onPlaced` is called after a commit, to have the outbox emptied soon. */
export function createOrdersService(deps: { db: Db; shops: ShopCache; onPlaced: () => void }): OrdersService {
  const { db, shops, onPlaced } = deps;

  async function place(tx: Tx, companyId: number, members: Member[]): Promise<BatchWork<Order>> {
    const requests = members.map((member) => member.request);
    const { outcomes, shop, pending } = await placeOrders(tx, shops, companyId, requests);
    return {
      outcomes: outcomes.map(
        (outcome): Settled<Order> =>
          outcome.ok ? { ok: true, value: orderRecord(outcome.value, outcome.value.items, shop) } : outcome,
      ),
      pending,
    };
  }

  /** Waits for its twin with the same Idempotency-Key, and for nothing else. Throws `Held`. */
  async function alone(member: Member): Promise<Order> {
    if (member.held.length > 0) throw new Held(member.held);
    const { companyId } = member.caller;
    return write(db, member.caller, async (tx) => {
      const [held] = await lockWhatIsFree(tx, companyId, [member.request]);
      if (held!.length > 0) throw new Held(held!);
      const { outcomes, pending } = await place(tx, companyId, [member]);
      await Promise.all(pending);
      const outcome = outcomes[0]!;
      if (!outcome.ok) throw outcome.error;
      return outcome.value;
    });
  }

  async function placeSoon(tx: Tx, companyId: number, members: Member[]): Promise<BatchWork<Order>> {
    const [, work] = await Promise.all([waitShortly(tx), place(tx, companyId, members)]);
    return work;
  }

  /** Places those that need nothing which others hold. */
  function placeFree(companyId: number, members: Member[]) {
    const work = async (tx: Tx, fresh: Member[]): Promise<BatchWork<Order, null>> => {
      const held = await lockWhatIsFree(
        tx,
        companyId,
        fresh.map((member) => member.request),
      );
      for (const [i, member] of fresh.entries()) member.held = held[i]!;
      const free = fresh.filter((member) => member.held.length === 0);
      if (free.length === 0) return { outcomes: fresh.map(() => null), pending: [] };
      const { outcomes, pending } = await place(tx, companyId, free);
      const ofFree = new Map(free.map((member, i) => [member, outcomes[i]!]));
      return { outcomes: fresh.map((member) => ofFree.get(member) ?? null), pending };
    };
    for (const member of members) member.held = [];
    return runBatch(db, companyId, members, work, alone);
  }

  const batcher: Batcher<Member, Order> = createBatcher<Member, Order>({
    name: 'orders',
    key: (member) => member.caller.companyId,
    run: (companyId, members) => {
      for (const member of members) member.held = [];
      return soonOrFree(
        () => runBatch(db, companyId, members, (tx, fresh) => placeSoon(tx, companyId, fresh), alone),
        () => placeFree(companyId, members),
      );
    },
    maxSize: MAX_BATCH,
    maxInFlight: MAX_IN_FLIGHT,
    maxInFlightPerKey: MAX_PER_COMPANY,
  });

  const lineBatcher: Batcher<Member, Order> = createBatcher<Member, Order>({
    name: 'orders-in-line',
    key: (member) => member.caller.companyId,
    run: placeFree,
    maxSize: MAX_BATCH,
    maxInFlight: 2,
    maxInFlightPerKey: 1,
  });

  const heldOrders = createHeldOrders();

  return {
    async place(caller, input) {
      const member: Member = { caller, request: requestOf(caller, input), held: [] };
      const order = await heldOrders.place(caller.companyId, member.request, {
        together: () => batcher.submit(member),
        inLine: () => lineBatcher.submit(member),
      });
      onPlaced();
      return order;
    },
    async drained() {
      await Promise.all([batcher.drained(), lineBatcher.drained()]);
    },
  };
}

function requestOf(
  caller: Caller,
  input: Omit<OrderInput, 'external_id' | 'metadata'> & Partial<OrderInput>,
): OrderRequest {
  return {
    customerId: input.customer_id,
    items: input.items,
    address: {
      address: input.shipping_address,
      city: input.shipping_city,
      state: input.shipping_state ?? '',
      zip: input.shipping_zip,
      country: input.shipping_country ?? null,
    },
    promoCode: input.promo_code || null,
    redeemPoints: input.redeem_points ?? 0,
    shippingMethodId: input.shipping_method_id ?? null,
    externalId: input.external_id ?? null,
    metadata: input.metadata ?? {},
    subscription: null,
    actor: caller.actor,
    now: caller.now,
  };
}

/**
 * Places a set of orders inside the caller's transaction: reads and locks what they need in one turn, decides, and sends
 * everything that passed in a second, whose statements are `pending`. Every order comes through here, renewals too.
 */
export async function placeOrders(
  tx: Tx,
  shops: ShopCache,
  companyId: number,
  requests: readonly OrderRequest[],
): Promise<{ outcomes: Settled<reading.NewOrder>[]; shop: Shop; pending: Promise<unknown>[] }> {
  // The version behind the locks: an order that waited is taxed, shipped and rewarded as it is then.
  const [world, version] = await Promise.all([readWorld(tx, companyId, requests, true), versionIn(tx, companyId)]);
  const shop = await shops.at(tx, companyId, version);
  const { outcomes, placement } = decide(shop, world, requests);
  if (placement.orders.length === 0) return { outcomes, shop, pending: [] };
  const { customers } = world;
  const events = placement.orders.map((order) => placedEvent(order, customers.get(order.customer_id)!, shop));
  const pending: Promise<unknown>[] = [
    ...reading.insertOrders(tx, companyId, placement.orders),
    reading.takeStock(tx, companyId, placement.stockTaken),
    postLedger(tx, companyId, placement.ledger, requests[0]!.now, placement.ordersByCustomer),
    enqueue(tx, companyId, events),
  ];
  if (placement.promoUses.size > 0) pending.push(reading.usePromos(tx, companyId, placement.promoUses));
  // A caller whose other statements fail first never waits for these: they must not end the process as unheard.
  for (const one of pending) one.catch(() => {});
  return { outcomes, shop, pending };
}

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
