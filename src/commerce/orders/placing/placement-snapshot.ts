import type { Queryable } from '../../../db/pool.ts';
import type { OrderRequest, World } from './placement.ts';
import * as queries from './placement-queries.ts';

/**
 * Everything that the requests refer to, in one turn. With `lock` (inside a transaction) external ids, promos, first
 * orders, stock and accounts are locked in this order, which is also that of a cancellation; without, it is a preview's
 * view.
 */
export async function readWorld(
  db: Queryable,
  companyId: number,
  requests: readonly OrderRequest[],
  lock: boolean,
): Promise<World> {
  const productIds = unique(requests.flatMap((request) => request.items.map((item) => item.product_id)));
  const customerIds = unique(requests.map((request) => request.customerId));
  const redeemers = unique(requests.filter((request) => request.redeemPoints > 0).map((r) => r.customerId));
  const codes = unique(requests.flatMap((request) => request.promoCode?.toUpperCase() ?? []));
  const couponed = unique(requests.filter((request) => request.promoCode !== null).map((r) => r.customerId));
  const externalIds = unique(requests.flatMap((request) => request.externalId ?? [])).sort();
  // Sent in this order on one connection: what is read comes after the locks of those who change it.
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
    lock ? queries.reserveOrderIds(db, requests.length) : [],
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
