import type { Caller } from '../../caller.ts';
import { createBatcher, type Settled } from '../../db/batching/batcher.ts';
import { type BatchWork, later, runBatch } from '../../db/batching/idempotent-batch.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { AppError, type FieldError, notFound } from '../../errors.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { type IfMatch, requireRevision } from '../../lib/validation/revision.ts';
import { enqueue, type OutboxEvent } from '../../outbox/service.ts';
import { lockDefinitionsShared } from '../custom-fields/context.ts';
import { hasLevels } from '../inventory/levels.ts';
import { originOf } from '../orders/origin.ts';
import { readSnapshot } from '../orders/placing/queries.ts';
import type { OrderRequest } from '../orders/placing/request.ts';
import { BatchState } from '../orders/placing/snapshot.ts';
import type { Shop, ShopCache } from '../shop.ts';
import { changedRow, type Given } from './change.ts';
import type { CartRecord } from './contract.ts';
import { checkoutStarted, isCheckout } from './events.ts';
import { mergeFields, NEW_CART } from './fields.ts';
import * as queries from './queries.ts';
import { requireOpen } from './ready.ts';
import { cartRecord } from './record.ts';
import { requestOf } from './request.ts';
import type { CartRow, CartValues } from './row.ts';
import { totalsOf } from './totals.ts';

/** A request that changes a cart, or creates one. */
interface Write {
  caller: Caller;
  given: Given;
  /** Null: a new cart. */
  cartId: number | null;
  ifMatch: IfMatch | null;
  /** That of a shopper's new cart. */
  token: string | null;
}

export interface CartWriter<Shown> {
  /** Throws not_found, cart_not_open, revision_mismatch, validation_failed, and what the change throws. */
  change(caller: Caller, cartId: number, ifMatch: IfMatch | null, given: Given): Promise<Shown>;
  create(caller: Caller, token: string | null, given: Given): Promise<Shown>;
}

/**
 * Writes carts. Requests of a company that arrive together share a transaction of three round trips: lock the carts, read what their prices
 * depend on, write them with COMMIT; new carts alone need two. A request whose cart or customer another transaction has locked, or whose
 * cart another request of the batch changes, runs alone afterwards and waits. `present` is called in the transaction, since an
 * Idempotency-Key keeps its result.
 */
export function createCartWriter<Shown>(
  { db, shops }: { db: Db; shops: ShopCache },
  present: (cart: CartRecord, shop: Shop, token: string | null) => Shown,
): CartWriter<Shown> {
  const batcher = createBatcher<Write, Shown>({
    name: 'carts',
    key: ({ caller }) => caller.companyId,
    bytesOf: ({ caller }) => caller.bodyBytes ?? 0,
    run: (companyId, writes) => runBatch(db, companyId, writes, (tx, some) => writeIn(tx, some, 'skip'), writeAlone),
    maxSize: 64,
    maxInFlight: 4,
    maxInFlightPerKey: 2,
  });

  function writeAlone(one: Write): Promise<Shown> {
    return write(db, one.caller, async (tx) => {
      const { outcomes, pending } = await writeIn(tx, [one], 'wait');
      await Promise.all(pending);
      const outcome = outcomes[0]!;
      if (!outcome.ok) throw outcome.error;
      return outcome.value;
    });
  }

  /** The outcome of a write is null if others have locked what it needs, and `ifLocked` does not wait for them. */
  async function writeIn(
    tx: Tx,
    writes: readonly Write[],
    ifLocked: queries.IfLocked,
  ): Promise<BatchWork<Shown, null>> {
    const { companyId } = writes[0]!.caller;
    const shop = await shops.get(companyId);
    const { carts, customers } = await lock(tx, companyId, writes, ifLocked);
    const asked = writes.map((one): Asked | Settled<never> | null => {
      const { cartId, given } = one;
      const isHeld = given.fields.customer_id == null || customers.has(given.fields.customer_id);
      if (!isHeld && ifLocked === 'skip') return null;
      if (cartId === null) return { ...one, old: null };
      const old = carts.get(cartId);
      // Of several requests for one cart, only one is part of the batch.
      carts.delete(cartId);
      if (old !== undefined) return { ...one, old };
      return ifLocked === 'skip' ? null : { ok: false, error: notFound('cart') };
    });
    const free = asked.flatMap((one) => (one === null || 'ok' in one ? [] : [one]));
    const { outcomes, pending } = await changeCarts(tx, shop, free);
    const settled = outcomes.values();
    return {
      outcomes: asked.map((one): Settled<Shown> | null => {
        if (one === null || 'ok' in one) return one;
        const outcome = settled.next().value!;
        return outcome.ok ? { ok: true, value: present(outcome.value, shop, one.token) } : outcome;
      }),
      pending,
    };
  }

  const submit = (one: Write): Promise<Shown> => batcher.submit(one);
  return {
    change: (caller, cartId, ifMatch, given) => submit({ caller, given, cartId, ifMatch, token: null }),
    create: (caller, token, given) => submit({ caller, given, cartId: null, ifMatch: null, token }),
  };
}

/**
 * Locks what carts refer to, which a merge or an erasure would otherwise take away meanwhile, then the carts, in the order of a merge.
 * Returns what was there and, with `skip`, locked by no other transaction.
 */
async function lock(
  tx: Tx,
  companyId: number,
  writes: readonly Write[],
  ifLocked: queries.IfLocked,
): Promise<{ carts: Map<number, CartRow>; customers: Set<number> }> {
  const cartIds = [...new Set(writes.flatMap(({ cartId }) => cartId ?? []))];
  const customerIds = [...new Set(writes.flatMap(({ given }) => given.fields.customer_id ?? []))];
  const [, customers, carts] = await Promise.all([
    writes.some(({ given }) => given.fields.custom !== undefined) ? lockDefinitionsShared(tx, companyId) : undefined,
    customerIds.length > 0 ? queries.holdCustomers(tx, companyId, customerIds, ifLocked) : [],
    cartIds.length > 0 ? queries.lockForChange(tx, companyId, cartIds, ifLocked) : [],
  ]);
  return { carts: new Map(carts.map((row) => [row.id, row])), customers: new Set(customers) };
}

/** A change of a cart that the transaction has locked, or of a new one. */
export interface Asked {
  caller: Caller;
  given: Given;
  /** Null: a new cart. */
  old: CartRow | null;
  ifMatch: IfMatch | null;
  token: string | null;
}

/** A change whose fields were merged. */
interface Merged extends Asked {
  old: CartRow;
  merged: CartValues;
  /** Its order, with the lines to be added. */
  request: OrderRequest;
  errors: FieldError[];
}

/** Changes and creates carts in the transaction: reads what they depend on in one round trip; the statements that write are `pending`. */
export async function changeCarts(tx: Tx, shop: Shop, asked: readonly Asked[]): Promise<BatchWork<CartRecord>> {
  const { companyId } = shop;
  const merged = asked.map((one) => settle(() => mergedOf(one, shop)));
  const ready = merged.flatMap((one) => (one.ok ? [one.value] : []));
  if (ready.length === 0) return { outcomes: merged.filter((one) => !one.ok), pending: [] };
  const requests = ready.map(({ request }) => request);
  const productIds = [...new Set(requests.flatMap(({ items }) => items.map(({ product_id }) => product_id)))];
  const [snapshot, images, ids] = await Promise.all([
    readSnapshot(tx, companyId, requests, { lock: false, levels: hasLevels(shop.locations) }),
    queries.findImages(tx, companyId, productIds),
    queries.drawCartIds(tx, ready.filter((one) => one.old.id === 0).length),
  ]);
  const batch = new BatchState(snapshot, shop.locations);
  const { products, customers } = snapshot;
  const [updated, inserted]: [CartRow[], queries.NewCart[]] = [[], []];
  const started: { event: OutboxEvent; caller: Caller }[] = [];
  const outcomes = merged.map((one): Settled<CartRecord> => {
    if (!one.ok) return one;
    return settle(() => {
      const { caller, token } = one.value;
      const row = changedRow(one.value, shop, batch);
      const isNew = row.id === 0;
      if (isNew) row.id = ids.pop()!;
      const totals = totalsOf(shop, batch, row, requestOf(row, caller));
      if (row.checkout_started_at === null && isCheckout(row)) {
        const customer = row.customer_id === null ? undefined : customers.get(row.customer_id);
        const event = checkoutStarted({ row, totals, products, images, customer }, shop, caller.now);
        started.push({ event, caller });
        row.checkout_started_at = caller.now;
      }
      if (isNew) inserted.push({ ...row, token });
      else updated.push(row);
      return cartRecord({ row, totals, products, images, orderId: null, payment: null, reservedUntil: null }, shop);
    });
  });
  const pending: Promise<unknown>[] = [];
  if (inserted.length > 0) later(pending, queries.insertCarts(tx, companyId, inserted));
  if (updated.length > 0) later(pending, queries.updateCarts(tx, companyId, updated));
  const events = started.map(({ event }) => event);
  const correlations = started.map(({ caller }) => correlationOf(caller));
  if (events.length > 0) later(pending, enqueue(tx, companyId, events, correlations));
  return { outcomes, pending };
}

/** Throws cart_not_open, revision_mismatch. */
function mergedOf(one: Asked, shop: Shop): Merged {
  const { caller, given } = one;
  const old = one.old ?? newRow(caller);
  requireOpen(old);
  requireRevision(one.ifMatch, old.revision);
  const errors: FieldError[] = [];
  const merged = mergeFields(old, given.fields, shop, errors);
  const asked = requestOf(merged, caller);
  const added = given.lines.map(({ product_id, qty }) => ({ product_id, qty }));
  const request = { ...asked, items: [...asked.items, ...added], custom: given.fields.custom ?? null };
  return { ...one, old, merged, request, errors };
}

/** Until it is written, a new cart has the id and the revision 0. */
function newRow(caller: Caller): CartRow {
  return {
    ...NEW_CART,
    id: 0,
    status: 'open',
    origin: originOf(caller),
    revision: 0,
    subscription_id: null,
    cycle_date: null,
    frozen: null,
    checkout_started_at: null,
    created_at: caller.now,
    updated_at: caller.now,
  };
}

function settle<T>(work: () => T): Settled<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ok: false, error };
  }
}
