import type { Queryable } from '../../../db/pool.ts';
import type { Promo } from '../../promotions/discount.ts';
import type { OrderRequest } from './order-request.ts';
import { reserveOrderIds } from './placement-queries.ts';
import type { CustomerUse, OrderingCustomer, StockedProduct } from './snapshot-queries.ts';
import * as queries from './snapshot-queries.ts';

/** Everything that the requests of one batch refer to, as read (and locked) before the first of them is placed. */
export interface PlacementSnapshot {
  products: ReadonlyMap<number, StockedProduct>;
  customers: ReadonlyMap<number, OrderingCustomer>;
  /** By upper-case code. */
  promos: ReadonlyMap<string, Promo & { id: number; code: string }>;
  /** Customers with an order that was not cancelled; read where a request has a promo code. */
  orderers: ReadonlySet<number>;
  /** Uses of codes that are limited per customer. */
  uses: readonly CustomerUse[];
  balances: ReadonlyMap<number, number>;
  takenExternalIds: ReadonlySet<string>;
  /** One per request. */
  orderIds: readonly number[];
}

/**
 * Reads the snapshot in one round trip. With `lock` (inside a transaction) it locks external ids, promo codes, first orders,
 * stock and accounts, in the order of ARCHITECTURE.md; without, it is a preview.
 */
export async function readSnapshot(
  db: Queryable,
  companyId: number,
  requests: readonly OrderRequest[],
  lock: boolean,
): Promise<PlacementSnapshot> {
  const productIds = unique(requests.flatMap((request) => request.items.map((item) => item.product_id)));
  const customerIds = unique(requests.map((request) => request.customerId));
  const redeemers = unique(requests.filter((request) => request.redeemPoints > 0).map((r) => r.customerId));
  const codes = unique(requests.flatMap((request) => request.promoCode?.toUpperCase() ?? []));
  const couponed = unique(requests.filter((request) => request.promoCode !== null).map((r) => r.customerId));
  const externalIds = unique(requests.flatMap((request) => request.externalId ?? [])).sort();
  // Sent in this order on one connection: each read follows the lock that protects it.
  const [, promos, , , balances, stock, orderers, uses, customers, takenExternalIds, orderIds] = await Promise.all([
    lock && externalIds.length > 0 ? queries.lockExternalIds(db, companyId, externalIds) : undefined,
    codes.length > 0 ? queries.readPromos(db, companyId, codes, lock) : [],
    lock && codes.length > 0 ? queries.lockFirstOrders(db, companyId, codes, couponed.sort(ascending)) : undefined,
    lock ? queries.lockStock(db, companyId, productIds) : undefined,
    redeemers.length > 0 ? queries.readBalances(db, companyId, redeemers, lock) : new Map<number, number>(),
    queries.readStock(db, companyId, productIds),
    codes.length > 0 ? queries.findOrderers(db, companyId, customerIds) : new Set<number>(),
    codes.length > 0 ? queries.countUses(db, companyId, codes, customerIds) : [],
    queries.findCustomers(db, companyId, customerIds),
    externalIds.length > 0 ? queries.findExternalIds(db, companyId, externalIds) : new Set<string>(),
    lock ? reserveOrderIds(db, requests.length) : [],
  ]);
  return {
    products: new Map(stock.map((product) => [product.id, product])),
    customers: new Map(customers.map((customer) => [customer.id, customer])),
    promos: new Map(promos.map((promo) => [promo.code.toUpperCase(), promo])),
    orderers,
    uses,
    balances,
    takenExternalIds,
    orderIds,
  };
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}

function ascending(a: number, b: number): number {
  return a - b;
}
