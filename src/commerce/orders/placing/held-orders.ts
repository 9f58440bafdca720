import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../../clock.ts';
import { sqlState, type Tx } from '../../../db/pool.ts';
import { AppError } from '../../../errors.ts';
import * as queries from './lock-queries.ts';
import type { OrderRequest } from './placement.ts';

/** How often an order that waits in line looks whether what it needs is free. */
const LOOK_AGAIN_MS = 250;
/** Orders of one company that wait in line at most, in this process. */
const MAX_IN_LINE = 256;
/** How long an order waits in line before it fails. */
const MAX_WAIT_MS = 10_000;

/** How long a batch waits for what another transaction holds, before those that need it wait on their own. */
const BATCH_LOCK_WAIT_MS = 1_000;
const LOCK_TIMEOUT = '55P03';

/**
 * `soon`, in whose transaction no statement waits longer than a batch may (`waitShortly`). Where one would have, `free`, in
 * a new transaction that waits for nothing (`lockWhatIsFree`).
 */
export async function soonOrFree<T>(soon: () => Promise<T>, free: () => Promise<T>): Promise<T> {
  try {
    return await soon();
  } catch (error) {
    if (sqlState(error) !== LOCK_TIMEOUT) throw error;
    return free();
  }
}

/** To be sent before anything that waits. */
export function waitShortly(tx: Tx): Promise<void> {
  return queries.limitLockWaits(tx, BATCH_LOCK_WAIT_MS);
}

/** An order could not be placed now because other transactions hold something that it needs. */
export class Held extends Error {
  readonly keys: readonly string[];

  constructor(keys: readonly string[]) {
    super(`Another transaction holds ${keys.join(', ') || 'what the order needs'}`);
    this.name = 'Held';
    this.keys = keys;
  }
}

/** What an order locks, as texts. */
function keysOf(request: OrderRequest): string[] {
  const keys = request.items.map((item) => `product ${item.product_id}`);
  keys.push(`customer ${request.customerId}`);
  if (request.promoCode !== null) keys.push(`promo ${request.promoCode.toUpperCase()}`);
  if (request.externalId !== null) keys.push(`external id ${request.externalId}`);
  return keys;
}

/**
 * Locks what the requests need, as far as it is free, and waits for nothing. Gives for each request what of it is held by
 * others; it can be placed in this transaction, without waiting, where that is nothing.
 */
export async function lockWhatIsFree(
  tx: Tx,
  companyId: number,
  requests: readonly OrderRequest[],
): Promise<string[][]> {
  const unique = <T>(values: T[]): T[] => [...new Set(values)];
  const withCode = requests.filter((request) => request.promoCode !== null);
  const externalIds = unique(requests.flatMap((request) => request.externalId ?? []));
  const codes = unique(withCode.map((request) => request.promoCode!.toUpperCase()));
  const couponed = unique(withCode.map((request) => request.customerId));
  const products = unique(requests.flatMap((request) => request.items.map((item) => item.product_id)));
  const customers = unique(requests.map((request) => request.customerId));
  const [ids, promos, first, stock, accounts] = await Promise.all([
    externalIds.length > 0 ? queries.findHeldExternalIds(tx, companyId, externalIds) : [],
    codes.length > 0 ? queries.findHeldPromos(tx, companyId, codes) : [],
    couponed.length > 0 ? queries.findFirstOrdersHeld(tx, companyId, couponed) : [],
    queries.findHeldProducts(tx, companyId, products),
    queries.findHeldAccounts(tx, companyId, customers),
  ]);
  const held = new Set([
    ...ids.map((id) => `external id ${id}`),
    ...promos.map((code) => `promo ${code}`),
    ...stock.map((id) => `product ${id}`),
    ...[...first, ...accounts].map((id) => `customer ${id}`),
  ]);
  return requests.map((request) => keysOf(request).filter((key) => held.has(key)));
}

/** One company's orders that wait in this process. */
interface Line {
  length: number;
  /** What they were found to wait for, and nobody has got since. */
  held: Set<string>;
}

export interface HeldOrders {
  /**
   * Places an order: by `together` in a batch with others, and where that throws `Held` in line with those that wait for
   * the same, by `inLine`, again and again, outside of any transaction. So what is held for long holds up those orders
   * alone that need it, and no connection.
   */
  place<T>(
    companyId: number,
    request: OrderRequest,
    ways: { together: () => Promise<T>; inLine: () => Promise<T> },
  ): Promise<T>;
  /** What the request needs and others are known to hold. */
  heldOf(companyId: number, request: OrderRequest): string[];
}

export function createHeldOrders(): HeldOrders {
  const lines = new Map<number, Line>();

  function enter(companyId: number): Line {
    const line = lines.get(companyId) ?? { length: 0, held: new Set<string>() };
    if (line.length >= MAX_IN_LINE) {
      throw new AppError('rate_limited', 'Too many orders wait for the same products', { retry_after: 1 });
    }
    lines.set(companyId, line);
    line.length++;
    return line;
  }

  function leave(companyId: number, line: Line): void {
    line.length--;
    if (line.length === 0) lines.delete(companyId);
  }

  function heldAmong(companyId: number, keys: string[]): string[] {
    const line = lines.get(companyId);
    return line === undefined ? [] : keys.filter((key) => line.held.has(key));
  }

  return {
    heldOf: (companyId, request) => heldAmong(companyId, keysOf(request)),
    async place(companyId, request, { together, inLine }) {
      const keys = keysOf(request);
      const isHeld = (): boolean => heldAmong(companyId, keys).length > 0;
      let found: Held | undefined;
      if (!isHeld()) {
        const placed = await together().catch(heldOr);
        if (!(placed instanceof Held)) return placed;
        found = placed;
      }
      const line = enter(companyId);
      try {
        const began = monotonicMs();
        for (;;) {
          for (const key of found?.keys ?? []) line.held.add(key);
          await sleep(LOOK_AGAIN_MS);
          const waits = isHeld();
          const placed = await (waits ? inLine() : together()).catch(heldOr);
          if (!(placed instanceof Held)) {
            for (const key of keys) line.held.delete(key);
            return placed;
          }
          if (monotonicMs() - began >= MAX_WAIT_MS) throw placed;
          // Whoever was in line knows already; and a look that fails while nothing is held for long says nothing.
          found = waits ? undefined : placed;
        }
      } finally {
        leave(companyId, line);
      }
    },
  };
}

function heldOr(error: unknown): Held {
  if (error instanceof Held) return error;
  throw error;
}
