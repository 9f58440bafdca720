import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../../clock.ts';
import { sqlState, type Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { AppError } from '../../../errors.ts';
import { lockAvailableCarts } from '../../carts/queries.ts';
import { tryLockDefinitionsShared } from '../../custom-fields/context.ts';
import { lockAvailableSubscriptions } from '../../subscriptions/queries.ts';
import * as queries from './queries.ts';
import { cyclesOf, hasValues, type OrderRequest, payersOf } from './request.ts';
import { buyerOf } from './snapshot.ts';

/** How long a batch waits for a lock of another transaction. */
const BATCH_LOCK_WAIT_MS = 1_000;
const LOCK_TIMEOUT = '55P03';

/** Whether a transaction that called `limitLockWait` failed because it waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === LOCK_TIMEOUT;
}

/** Sets the transaction's lock timeout; sent before the first statement that locks. */
export async function limitLockWait(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('lock_timeout', ${`${BATCH_LOCK_WAIT_MS}`}, true)`);
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

const DEFINITIONS = 'custom fields';

/** Returns what an order locks, as strings. */
function keysOf(request: OrderRequest): string[] {
  const keys = request.items.map((item) => `product ${item.product_id}`);
  if (request.customerId !== 0) keys.push(`customer ${request.customerId}`);
  if (request.promoCode !== null) keys.push(`promo ${request.promoCode.toUpperCase()}`, `buyer ${buyerOf(request)}`);
  if (request.externalId !== null) keys.push(`external id ${request.externalId}`);
  if (request.cart !== null) keys.push(`cart ${request.cart.id}`);
  if (request.cart !== null && request.subscriptionId !== null) keys.push(`subscription ${request.subscriptionId}`);
  if (hasValues(request)) keys.push(DEFINITIONS);
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
  const couponed = unique(withCode.map(buyerOf));
  const products = unique(requests.flatMap((request) => request.items.map((item) => item.product_id)));
  const customers = unique(requests.map((request) => request.customerId));
  const cartIds = requests.flatMap((request) => request.cart?.id ?? []);
  const renewed = [...cyclesOf(requests).keys()];
  const payers = payersOf(requests);
  const [definitions, held, carts, subscriptions, ids, promos, first, stock, accounts] = await Promise.all([
    requests.some(hasValues) ? tryLockDefinitionsShared(tx, companyId) : true,
    payers.length > 0 ? queries.holdAvailableCustomers(tx, companyId, payers) : [],
    cartIds.length > 0 ? lockAvailableCarts(tx, companyId, cartIds) : [],
    renewed.length > 0 ? lockAvailableSubscriptions(tx, companyId, renewed) : [],
    externalIds.length > 0 ? queries.lockAvailableExternalIds(tx, companyId, externalIds) : [],
    codes.length > 0 ? queries.lockAvailablePromos(tx, companyId, codes) : [],
    couponed.length > 0 ? queries.lockAvailableFirstOrders(tx, companyId, couponed) : [],
    queries.lockAvailableStock(tx, companyId, products),
    queries.lockAvailableAccounts(tx, companyId, customers),
  ]);
  const locked = new Set([
    ...(definitions ? [] : [DEFINITIONS]),
    ...carts.map((id) => `cart ${id}`),
    ...subscriptions.map((id) => `subscription ${id}`),
    ...ids.map((id) => `external id ${id}`),
    ...promos.map((code) => `promo ${code}`),
    ...stock.map((id) => `product ${id}`),
    ...first.map((buyer) => `buyer ${buyer}`),
    ...[...held, ...accounts].map((id) => `customer ${id}`),
  ]);
  return requests.map((request) => keysOf(request).filter((key) => locked.has(key)));
}

/** Pause between two attempts of a waiting order. */
const RETRY_MS = 250;
/** Orders of one company that may wait in this process. */
const MAX_WAITING = 256;
/** After this long a waiting order fails. */
const MAX_WAIT_MS = 10_000;

/** One company's waiting orders. */
interface WaitingOrders {
  count: number;
  /** Keys that an attempt found locked and that no order has locked since. */
  lockedKeys: Set<string>;
}

interface ContendedOrders {
  /**
   * Places an order with `batched`, in a batch with others. If that throws `RowsLocked`, the order waits outside of any
   * transaction and is attempted again: with `waiting`, in a batch of orders that wait for the same rows, while these are
   * known to be locked. A long lock thus delays only the orders that need it, and occupies no connection.
   */
  place<T>(
    companyId: number,
    request: OrderRequest,
    attempts: { batched: () => Promise<T>; waiting: () => Promise<T> },
  ): Promise<T>;
  /** Returns the keys of the request that other transactions are known to lock. */
  lockedKeysOf(companyId: number, request: OrderRequest): string[];
}

export function createContendedOrders(): ContendedOrders {
  const byCompany = new Map<number, WaitingOrders>();

  function enter(companyId: number): WaitingOrders {
    const orders = byCompany.get(companyId) ?? { count: 0, lockedKeys: new Set<string>() };
    if (orders.count >= MAX_WAITING) {
      throw new AppError('rate_limited', 'Too many orders wait for the same products', { retry_after: 1 });
    }
    byCompany.set(companyId, orders);
    orders.count++;
    return orders;
  }

  function leave(companyId: number, orders: WaitingOrders): void {
    orders.count--;
    if (orders.count === 0) byCompany.delete(companyId);
  }

  function lockedAmong(companyId: number, keys: string[]): string[] {
    const orders = byCompany.get(companyId);
    return orders === undefined ? [] : keys.filter((key) => orders.lockedKeys.has(key));
  }

  return {
    lockedKeysOf: (companyId, request) => lockedAmong(companyId, keysOf(request)),
    async place(companyId, request, { batched, waiting }) {
      const keys = keysOf(request);
      const isLocked = (): boolean => lockedAmong(companyId, keys).length > 0;
      let found: RowsLocked | undefined;
      if (!isLocked()) {
        const placed = await batched().catch(rowsLockedOrThrow);
        if (!(placed instanceof RowsLocked)) return placed;
        found = placed;
      }
      const orders = enter(companyId);
      try {
        const began = monotonicMs();
        for (;;) {
          for (const key of found?.keys ?? []) orders.lockedKeys.add(key);
          await sleep(RETRY_MS);
          const knownAsLocked = isLocked();
          const placed = await (knownAsLocked ? waiting() : batched()).catch(rowsLockedOrThrow);
          if (!(placed instanceof RowsLocked)) {
            for (const key of keys) orders.lockedKeys.delete(key);
            return placed;
          }
          if (monotonicMs() - began >= MAX_WAIT_MS) throw placed;
          // An attempt among waiting orders tells nothing new: its keys are known already.
          found = knownAsLocked ? undefined : placed;
        }
      } finally {
        leave(companyId, orders);
      }
    },
  };
}

function rowsLockedOrThrow(error: unknown): RowsLocked {
  if (error instanceof RowsLocked) return error;
  throw error;
}
