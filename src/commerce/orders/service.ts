import type { Caller } from '../../caller.ts';
import type { Queryable } from '../../db/pool.ts';
import { found, notFound } from '../../errors.ts';
import { type Page, type PageQuery, pageOf, partOf } from '../../lib/paging.ts';
import type { Direction } from '../../lib/sorting.ts';
import type { Shop } from '../shop.ts';
import type {
  Calculation,
  CalculationInput,
  HistoryEntry,
  Order,
  OrderQuery,
  PromoPreview,
  PromoPreviewInput,
  StatusInput,
} from './contract.ts';
import * as lists from './list-queries.ts';
import { createOrderPlacing, type PlacingDeps } from './placing/place.ts';
import * as queries from './queries.ts';
import { calculateOrder, promoPreview } from './quote.ts';
import { orderRecord } from './record.ts';
import type { SearchOrder } from './search/queries.ts';
import { searchOrders, walkFound } from './search/search.ts';
import { orderSearchOf } from './search/search-text.ts';
import { changeStatus } from './status-change.ts';

export { countShippable, nextShippable } from './bulk-queries.ts';

export { disputedEvent, paidEvent, refundedEvent, refundReversedEvent } from './events.ts';
export { ordersOfCustomer } from './export.ts';
export {
  type ImportedLine,
  type ImportedOrder,
  lockKnownOrders,
  removeImportedOrders,
  writeImportedOrders,
} from './imported.ts';
export { isLockTimeout, limitLockWait, lockAvailable } from './placing/contention.ts';
export { type PlacedCart, placeOrders } from './placing/place.ts';
export { findExternalIds } from './placing/queries.ts';
export type { OrderingCustomer } from './placing/snapshot.ts';
export {
  findOrder,
  type HeldOrder,
  holdOrder,
  lockOrdersOf,
  moveOrders,
  type OrderWithItems,
} from './queries.ts';
export { quoteWithoutStock } from './quote.ts';
export { shipOrder } from './status-change.ts';

/** See docs/design/orders.md. */
export type OrdersService = ReturnType<typeof createOrdersService>;

/** Orders: placing, lists, history and status. */
export function createOrdersService(deps: PlacingDeps) {
  const { db, shops } = deps;

  async function listOrders(companyId: number, query: OrderQuery): Promise<Page<Order>> {
    const shop = await shops.get(companyId);
    const page = pageOf(query);
    const filters = lists.filtersOf(query);
    const order = query.sort ?? 'newest';
    const lane = db.lists(companyId);
    const search = orderSearchOf(query.search ?? '');
    if (search.words.length > 0) {
      return pageOfRecords(await searchOrders(lane, companyId, search, { filters, order }, page), shop, page);
    }
    return pageOfRecords(await lists.listOrders(lane, companyId, filters, directionOf(order), page), shop, page);
  }

  return {
    ...createOrderPlacing(deps),

    /** Newest first, with their items. */
    listOrders,

    /** Yields the whole list, in pages. */
    async *ordersInOrder(companyId: number, query: OrderQuery): AsyncGenerator<Page<Order>> {
      const shop = await shops.get(companyId);
      const filters = lists.filtersOf(query);
      const lane = db.lists(companyId);
      const search = orderSearchOf(query.search ?? '');
      const order = query.sort ?? 'newest';
      const found =
        search.words.length > 0
          ? walkFound(lane, companyId, search, { filters, order })
          : lists.walkOrders(lane, companyId, filters, directionOf(order));
      for await (const rows of found) yield partOf(rows.map((row) => orderRecord(row, row.items, shop)));
    },

    /** Returns the orders of one customer. Throws not_found for an unknown customer. */
    async listCustomerOrders(companyId: number, customerId: number, query: PageQuery): Promise<Page<Order>> {
      const [exists, page] = await Promise.all([
        queries.customerExists(db.lists(companyId), companyId, customerId),
        listOrders(companyId, { ...query, customer_id: customerId }),
      ]);
      if (!exists) throw notFound('customer');
      return page;
    },

    /** Returns a customer's own orders, newest first; those that they placed as a guest only with `withGuest`. */
    async listOwnOrders(
      companyId: number,
      { customerId, withGuest }: { customerId: number; withGuest: boolean },
      query: PageQuery,
    ): Promise<OrderPage> {
      const shop = await shops.get(companyId);
      const page = pageOf(query);
      const filters = { ...lists.filtersOf({ customer_id: customerId }), guest: withGuest ? null : false };
      const orders = await lists.listOrders(db.lists(companyId), companyId, filters, 'desc', page);
      return pageOfRecords(orders, shop, page);
    },

    /** Throws not_found. */
    async getOrder(companyId: number, id: number): Promise<Order> {
      const shop = await shops.get(companyId);
      const row = found(await queries.findOrder(db.points(companyId), companyId, id), 'order');
      return orderRecord(row, row.items, shop);
    },

    /** The order that was placed from the cart. */
    async getOrderOfCart(companyId: number, cartId: number): Promise<Order> {
      const shop = await shops.get(companyId);
      const row = await queries.orderOfCart(db.points(companyId), companyId, cartId);
      return orderRecord(row, row.items, shop);
    },

    /** Returns the order's history, oldest first. Throws not_found. */
    async listHistory(companyId: number, id: number, query: PageQuery): Promise<Page<HistoryEntry>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const [total, rows] = await Promise.all([
        queries.countHistory(lane, companyId, id),
        queries.listHistory(lane, companyId, id, page),
      ]);
      if (total === 0) found(await queries.findOrder(lane, companyId, id), 'order');
      return { rows: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })), total, ...page };
    },

    /** Changes the status, or the tracking number. Throws not_found, validation_failed, invalid_status_transition. */
    updateStatus: (caller: Caller, id: number, input: StatusInput): Promise<Order> =>
      changeStatus(db, shops, caller, id, input),

    /** Calculates what an order would cost. Throws what placing the order would throw. */
    async calculate(caller: Caller, input: CalculationInput): Promise<Calculation> {
      const shop = await shops.get(caller.companyId);
      return calculateOrder(db.points(caller.companyId), shop, caller, input);
    },

    /** Tries a promo code on a basket. Throws what placing the order would throw. */
    async validatePromo(caller: Caller, input: PromoPreviewInput): Promise<PromoPreview> {
      const shop = await shops.get(caller.companyId);
      return promoPreview(db.points(caller.companyId), shop, caller, input);
    },
  };
}

/** A list without a search has no relevance: it is sorted by age. */
const directionOf = (order: SearchOrder): Direction => (order === 'oldest' ? 'asc' : 'desc');

/** Returns the orders of a subscription's renewals. */
export async function listOrdersOfSubscription(
  db: Queryable,
  shop: Shop,
  subscriptionId: number,
  query: PageQuery,
): Promise<Page<Order>> {
  const page = pageOf(query);
  return pageOfRecords(await lists.listSubscriptionOrders(db, shop.companyId, subscriptionId, page), shop, page);
}

type OrderPage = Page<Order> & { rows: Order[] };

function pageOfRecords({ rows, total }: lists.OrderPage, shop: Shop, page: ReturnType<typeof pageOf>): OrderPage {
  return { rows: rows.map((row) => orderRecord(row, row.items, shop)), total, ...page };
}
