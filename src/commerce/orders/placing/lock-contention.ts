import { sqlState, type Tx } from '../../../db/pool.ts';
import * as queries from './lock-queries.ts';
import type { OrderRequest } from './order-request.ts';

/** How long a batch waits for a lock of another transaction. */
const BATCH_LOCK_WAIT_MS = 1_000;
const LOCK_TIMEOUT = '55P03';

/**
 * Runs `waiting`, whose transaction has called `limitLockWait`. If it hits the lock timeout, runs `skipping`, in a new
 * transaction that does not wait (see `lockAvailable`).
 */
export async function orSkipLocked<T>(waiting: () => Promise<T>, skipping: () => Promise<T>): Promise<T> {
  try {
    return await waiting();
  } catch (error) {
    if (sqlState(error) !== LOCK_TIMEOUT) throw error;
    return skipping();
  }
}

/** Sets the transaction's lock timeout; sent before the first statement that locks. */
export function limitLockWait(tx: Tx): Promise<void> {
  return queries.limitLockWaits(tx, BATCH_LOCK_WAIT_MS);
}

/** An order could not be placed now because other transactions lock rows that it needs. */
export class RowsLocked extends Error {
  readonly keys: readonly string[];

  constructor(keys: readonly string[]) {
    super(`Another transaction holds ${keys.join(', ') || 'what the order needs'}`);
    this.name = 'RowsLocked';
    this.keys = keys;
  }
}

/** Returns the rows that an order locks, as strings. */
export function keysOf(request: OrderRequest): string[] {
  const keys = request.items.map((item) => `product ${item.product_id}`);
  keys.push(`customer ${request.customerId}`);
  if (request.promoCode !== null) keys.push(`promo ${request.promoCode.toUpperCase()}`);
  if (request.externalId !== null) keys.push(`external id ${request.externalId}`);
  return keys;
}

/**
 * Locks what the requests need and others do not lock, without waiting. Returns, for each request, the keys that others
 * lock; a request with none can be placed in this transaction.
 */
export async function lockAvailable(tx: Tx, companyId: number, requests: readonly OrderRequest[]): Promise<string[][]> {
  const unique = <T>(values: T[]): T[] => [...new Set(values)];
  const withCode = requests.filter((request) => request.promoCode !== null);
  const externalIds = unique(requests.flatMap((request) => request.externalId ?? []));
  const codes = unique(withCode.map((request) => request.promoCode!.toUpperCase()));
  const couponed = unique(withCode.map((request) => request.customerId));
  const products = unique(requests.flatMap((request) => request.items.map((item) => item.product_id)));
  const customers = unique(requests.map((request) => request.customerId));
  const [ids, promos, first, stock, accounts] = await Promise.all([
    externalIds.length > 0 ? queries.lockAvailableExternalIds(tx, companyId, externalIds) : [],
    codes.length > 0 ? queries.lockAvailablePromos(tx, companyId, codes) : [],
    couponed.length > 0 ? queries.lockAvailableFirstOrders(tx, companyId, couponed) : [],
    queries.lockAvailableStock(tx, companyId, products),
    queries.lockAvailableAccounts(tx, companyId, customers),
  ]);
  const locked = new Set([
    ...ids.map((id) => `external id ${id}`),
    ...promos.map((code) => `promo ${code}`),
    ...stock.map((id) => `product ${id}`),
    ...[...first, ...accounts].map((id) => `customer ${id}`),
  ]);
  return requests.map((request) => keysOf(request).filter((key) => locked.has(key)));
}
