import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../../clock.ts';
import { AppError } from '../../../errors.ts';
import { keysOf, RowsLocked } from './lock-contention.ts';
import type { OrderRequest } from './order-request.ts';

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

export interface ContendedOrders {
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
