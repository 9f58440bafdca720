import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { AppError, type FieldError, found, notFound, validationFailed } from '../../errors.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { type IfMatch, requireRevision } from '../../lib/validation/revision.ts';
import { enqueue } from '../../outbox/service.ts';
import { lockDefinitionsShared } from '../custom-fields/context.ts';
import { contextOf, mergeCustom } from '../custom-fields/values.ts';
import { hasLevels } from '../inventory/levels.ts';
import { findReservedUntil } from '../inventory/reservations.ts';
import { originOf } from '../orders/origin.ts';
import { readSnapshot } from '../orders/placing/queries.ts';
import { BatchState, type PlacementSnapshot } from '../orders/placing/snapshot.ts';
import { variantRequired } from '../orders/placing/variant-required.ts';
import { findPaymentsOfCarts } from '../payments/queries.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type { Cart, CartInput, CartPatch, CartQuery, LineInput, LinePatch, LinesInput } from './contract.ts';
import { markStarted } from './event-queries.ts';
import { checkoutStarted, isCheckout } from './events.ts';
import { addLines, changeLine, mergeFields, NEW_CART } from './fields.ts';
import { mergeCarts } from './merging.ts';
import * as queries from './queries.ts';
import { requireOpen } from './ready.ts';
import { cartRecord } from './record.ts';
import { requestOf } from './request.ts';
import type { CartRow, CartValues } from './row.ts';
import { isSold, totalsOf } from './totals.ts';

export { type CheckoutDeps, type CheckoutService, createCheckoutService } from './checkout.ts';
export { createCartPayable, createPayLinksService, type PayLinksService } from './pay-link.ts';
export { releaseCarts } from './release.ts';

export type CartsService = ReturnType<typeof createCartsService<Cart>>;

export interface CartsDeps<Shown = Cart> {
  db: Db;
  shops: ShopCache;
  /** What the endpoints return of a cart; `token` is that of a new cart. Called in the transaction, since an Idempotency-Key keeps it. */
  present: (cart: Cart, shop: Shop, token: string | null) => Shown;
}

const MINUTE_MS = 60_000;

/** A change of a cart: its values afterwards. Adds errors of fields. */
type Change = (old: CartValues, shop: Shop, batch: BatchState, errors: FieldError[]) => CartValues;

/** What a request gives. */
interface Given {
  fields?: CartPatch;
  /** Products to be added. */
  lines?: readonly LineInput[];
  change: Change;
}

/** Carts of the commerce interface. See docs/design/carts.md. */
export function createCartsService<Shown>({ db, shops, present }: CartsDeps<Shown>) {
  /** Changes a cart that the transaction has locked, or a new one. */
  async function changed(
    tx: Tx,
    caller: Caller,
    shop: Shop,
    old: CartValues & { id?: number },
    { fields = {}, lines = [], change }: Given,
  ): Promise<{ values: CartValues; batch: BatchState }> {
    const errors: FieldError[] = [];
    const merged = mergeFields(old, fields, shop, errors);
    const asked = requestOf(merged, caller);
    const request = {
      ...asked,
      items: [...asked.items, ...lines.map(({ product_id, qty }) => ({ product_id, qty }))],
      custom: fields.custom ?? null,
    };
    const snapshot = await readSnapshot(tx, caller.companyId, [request], {
      lock: false,
      levels: hasLevels(shop.locations),
    });
    if (fields.custom !== undefined) {
      merged.custom = mergeCustom(contextOf(shop, snapshot.definitions), 'order', fields.custom, merged.custom, errors);
    }
    checkReferences(merged, fields, shop, snapshot, errors);
    const batch = new BatchState(snapshot, shop.locations);
    const values = change(merged, shop, batch, errors);
    if (errors.length > 0) throw validationFailed(errors);
    return { values, batch };
  }

  async function change(caller: Caller, id: number, ifMatch: IfMatch | null, given: Given): Promise<Shown> {
    const { companyId, now } = caller;
    const shop = await shops.get(companyId);
    return write(db, caller, async (tx) => {
      const [, old] = await Promise.all([
        lockReferences(tx, companyId, given.fields),
        queries.lockCart(tx, companyId, id).then((row) => found(row, 'cart')),
      ]);
      requireOpen(old);
      requireRevision(ifMatch, old.revision);
      const { values, batch } = await changed(tx, caller, shop, old, given);
      return present(
        await show(tx, caller, shop, values, queries.updateCart(tx, companyId, id, values, now), batch),
        shop,
        null,
      );
    });
  }

  /** Throws not_found for an unknown line. */
  function lineChange(lineId: number, work: Change): Change {
    return (old, shop, batch, errors) => {
      if (!old.lines.some((line) => line.id === lineId)) throw notFound('line');
      return work(old, shop, batch, errors);
    };
  }

  return {
    /** Newest first. */
    async listCarts(caller: Caller, query: CartQuery): Promise<Page<Shown>> {
      const { companyId } = caller;
      const { status = null, origin = null, customer_id: customerId = null, email, abandoned = null } = query;
      const [lane, page, shop] = [db.lists(companyId), pageOf(query), await shops.get(companyId)];
      const normal = email === undefined ? null : (normaliseEmail(email) ?? email.toLowerCase());
      const untouchedSince = new Date(caller.now.getTime() - shop.checkout.abandoned_after_minutes * MINUTE_MS);
      const filters = { status, origin, customerId, email: normal, abandoned, untouchedSince };
      const [total, rows] = await Promise.all([
        queries.countCarts(lane, companyId, filters),
        queries.listCarts(lane, companyId, filters, page),
      ]);
      const carts = await showAll(lane, caller, shop, rows);
      return { rows: carts.map((cart) => present(cart, shop, null)), total, ...page };
    },

    /** Throws not_found. */
    async getCart(caller: Caller, id: number): Promise<Shown> {
      const { companyId } = caller;
      const shop = await shops.get(companyId);
      const row = found(await queries.findCart(db.points(companyId), companyId, id), 'cart');
      const [cart] = await showAll(db.points(companyId), caller, shop, [row]);
      return present(cart!, shop, null);
    },

    findByToken: (companyId: number, token: string): Promise<queries.FoundCart | undefined> =>
      queries.findByToken(db.points(companyId), companyId, token),

    /** Returns the newest open cart that the customer began in the store. */
    findOwnCart: (companyId: number, customerId: number): Promise<number | undefined> =>
      queries.findOwnCart(db.points(companyId), companyId, customerId),

    /**
     * Makes the open guest's cart with the token that of a customer who signs in, in that transaction: their cart, or part of the one that
     * they have. Any other cart stays as it is.
     */
    async adoptCart(tx: Tx, caller: Caller, customerId: number, token: string): Promise<void> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      const [found, ownId] = await Promise.all([
        queries.findByToken(tx, companyId, token),
        queries.findOwnCart(tx, companyId, customerId),
      ]);
      if (found === undefined || found.id === ownId) return;
      const ids = ownId === undefined ? [found.id] : [found.id, ownId].sort((a, b) => a - b);
      const locked = await Promise.all(ids.map((id) => queries.lockCart(tx, companyId, id)));
      const [guest, own] = [found.id, ownId].map((id) => locked.find((row) => row?.id === id));
      if (guest?.status !== 'open' || guest.customer_id !== null) return;
      const isKept = own?.status === 'open' && own.customer_id === customerId;
      const kept = isKept ? own : guest;
      const lines = isKept ? guest.lines.map(({ product_id, qty }) => ({ product_id, qty })) : [];
      const { values, batch } = await changed(tx, caller, shop, kept, {
        fields: { customer_id: customerId },
        lines,
        change: (old) => (isKept ? mergeCarts(old, guest, shop) : old),
      });
      await show(tx, caller, shop, values, queries.updateCart(tx, companyId, kept.id, values, now), batch);
      if (isKept) await queries.closeMergedCart(tx, companyId, guest.id, now);
    },

    /** Fills a new cart with what is still sold of another cart's lines, without checking the stock. `token` is that of a shopper. */
    async refillCart(
      caller: Caller,
      {
        lines,
        ...fields
      }: Pick<CartPatch, 'promo_code' | 'customer_id' | 'location_id'> & { lines: readonly LineInput[] },
      token: string,
    ): Promise<Shown> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      return write(db, caller, async (tx) => {
        await lockReferences(tx, companyId, fields);
        const { values, batch } = await changed(tx, caller, shop, NEW_CART, {
          fields,
          lines,
          change: (old, _shop, { snapshot: { products } }, errors) => {
            const sold = lines.filter(({ product_id }) => isSold(products.get(product_id)));
            return addLines(old, sold, (id) => products.get(id), shop, errors);
          },
        });
        const inserted = queries.insertCart(tx, companyId, { ...values, origin: originOf(caller), token }, now);
        return present(await show(tx, caller, shop, values, inserted, batch), shop, token);
      });
    },

    /** `token` is that of a shopper. Throws validation_failed, variant_required, insufficient_stock. */
    async createCart(
      caller: Caller,
      { lines = [], ...fields }: CartInput,
      token: string | null = null,
    ): Promise<Shown> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      return write(db, caller, async (tx) => {
        const given = { fields, lines, change: adding(lines) };
        await lockReferences(tx, companyId, fields);
        const { values, batch } = await changed(tx, caller, shop, NEW_CART, given);
        const inserted = queries.insertCart(tx, companyId, { ...values, origin: originOf(caller), token }, now);
        return present(await show(tx, caller, shop, values, inserted, batch), shop, token);
      });
    },

    /** Throws not_found, cart_not_open, revision_mismatch, validation_failed. */
    updateCart: (caller: Caller, id: number, fields: CartPatch, ifMatch: IfMatch | null): Promise<Shown> =>
      change(caller, id, ifMatch, { fields, change: (values) => values }),

    /** Throws not_found, cart_not_open, validation_failed, variant_required, insufficient_stock. */
    addLines: (caller: Caller, id: number, { lines }: LinesInput): Promise<Shown> =>
      change(caller, id, null, { lines, change: adding(lines) }),

    /** Throws not_found, cart_not_open, revision_mismatch, validation_failed, insufficient_stock. */
    updateLine: (
      caller: Caller,
      { id, line_id }: { id: number; line_id: number },
      patch: LinePatch,
      ifMatch: IfMatch | null,
    ): Promise<Shown> =>
      change(caller, id, ifMatch, {
        change: lineChange(line_id, (old, shop, batch, errors) => {
          const next = changeLine(old, line_id, patch, shop, errors);
          const { product_id, qty } = next.lines.find((line) => line.id === line_id)!;
          if (patch.qty !== undefined) checkStock(batch, next, [{ product_id, qty }]);
          return next;
        }),
      }),

    /** Throws not_found, cart_not_open. */
    removeLine: (caller: Caller, { id, line_id }: { id: number; line_id: number }): Promise<Shown> =>
      change(caller, id, null, {
        change: lineChange(line_id, (old) => ({ ...old, lines: old.lines.filter((line) => line.id !== line_id) })),
      }),

    /** Throws not_found, cart_not_open. */
    async cancelCart(caller: Caller, id: number): Promise<Shown> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      return write(db, caller, async (tx) => {
        requireOpen(found(await queries.lockCart(tx, companyId, id), 'cart'));
        const row = await queries.cancelCart(tx, companyId, id, now);
        const [cart] = await showAll(tx, caller, shop, [row]);
        return present(cart!, shop, null);
      });
    },
  };
}

/**
 * Locks what comes before carts: the definitions of custom values, and the customer, whom a merge or an erasure would otherwise take away
 * meanwhile.
 */
async function lockReferences(tx: Tx, companyId: number, { custom, customer_id }: CartPatch = {}): Promise<void> {
  await Promise.all([
    customer_id == null ? undefined : queries.holdCustomer(tx, companyId, customer_id),
    custom === undefined ? undefined : lockDefinitionsShared(tx, companyId),
  ]);
}

/** Adds lines whose products are sold and in stock. */
function adding(lines: readonly LineInput[]): Change {
  return (old, shop, batch, errors) => {
    const { products } = batch.snapshot;
    lines.forEach(({ product_id }, i) => {
      const product = products.get(product_id);
      const field = `lines.${i}.product_id`;
      if (product === undefined) errors.push({ field, code: 'unknown', message: `${field}: unknown product` });
      else if (product.archived) {
        errors.push({ field, code: 'archived', message: `${field} names a product that is not sold` });
      }
    });
    const next = addLines(old, lines, (id) => products.get(id), shop, errors);
    if (errors.length > 0) throw validationFailed(errors);
    const parent = lines.findIndex(({ product_id }) => !isSold(products.get(product_id)));
    if (parent !== -1) {
      throw variantRequired(shop, products.get(lines[parent]!.product_id)!, { index: parent });
    }
    const ids = new Set(lines.map(({ product_id }) => product_id));
    const wanted = [...ids].map((id) => next.lines.find((line) => line.product_id === id)!);
    checkStock(batch, next, wanted);
    return next;
  };
}

/** Throws insufficient_stock with every line that has more units than can be sold now. */
function checkStock(
  { snapshot, levels }: BatchState,
  { location_id }: CartValues,
  lines: readonly { product_id: number; qty: number }[],
): void {
  const short = lines.flatMap(({ product_id, qty: requested }, index) => {
    if (snapshot.products.get(product_id)?.track_stock !== true) return [];
    const available = levels.available(product_id, location_id);
    return available < requested ? [{ index, product_id, requested, available }] : [];
  });
  if (short.length > 0) throw new AppError('insufficient_stock', 'Not enough stock', { items: short });
}

/** Adds errors of given fields that name unknown records. */
function checkReferences(
  values: CartValues,
  given: CartPatch,
  shop: Shop,
  snapshot: PlacementSnapshot,
  errors: FieldError[],
): void {
  const customer = values.customer_id === null ? undefined : snapshot.customers.get(values.customer_id);
  if (given.customer_id != null && (customer === undefined || customer.erased)) {
    errors.push({ field: 'customer_id', code: 'unknown', message: 'Unknown customer' });
  }
  if (given.shipping_method_id != null && !shop.methods.some(({ id }) => id === given.shipping_method_id)) {
    errors.push({ field: 'shipping_method_id', code: 'unknown', message: 'Unknown shipping method' });
  }
  if (given.location_id != null && !shop.locations.some(({ id }) => id === given.location_id)) {
    errors.push({ field: 'location_id', code: 'unknown', message: 'Unknown location, or one that is closed' });
  }
}

/**
 * Returns the cart as it was written, with its first event if it is now a checkout.
 * @param written the statement that returns the cart; the pictures are read in the same round trip
 */
async function show(
  tx: Tx,
  caller: Caller,
  shop: Shop,
  { lines }: CartValues,
  written: Promise<CartRow>,
  batch: BatchState,
): Promise<Cart> {
  const [row, images] = await Promise.all([written, queries.findImages(tx, caller.companyId, productsOf([{ lines }]))]);
  const totals = totalsOf(shop, batch, row, requestOf(row, caller));
  const { products, customers } = batch.snapshot;
  if (row.checkout_started_at === null && isCheckout(row)) {
    const customer = row.customer_id === null ? undefined : customers.get(row.customer_id);
    const started = checkoutStarted({ row, totals, products, images, customer }, shop, caller.now);
    await Promise.all([
      markStarted(tx, caller.companyId, row.id, caller.now),
      enqueue(tx, caller.companyId, [started], correlationOf(caller)),
    ]);
  }
  return cartRecord({ row, totals, products, images, orderId: null, payment: null, reservedUntil: null }, shop);
}

/** Reads what the carts refer to, in one round trip. */
async function showAll(db: Queryable, caller: Caller, shop: Shop, rows: readonly CartRow[]): Promise<Cart[]> {
  const { companyId } = caller;
  const live = rows.filter(({ frozen }) => frozen === null);
  const idsOf = (status: CartRow['status']) => rows.filter((row) => row.status === status).map(({ id }) => id);
  const requests = live.map((row) => requestOf(row, caller));
  const [snapshot, images, orderIds, payments, reservedUntil] = await Promise.all([
    readSnapshot(db, companyId, requests, { lock: false, levels: hasLevels(shop.locations) }),
    queries.findImages(db, companyId, productsOf(rows)),
    queries.findOrderIds(db, companyId, idsOf('placed')),
    findPaymentsOfCarts(db, companyId, idsOf('paying')),
    findReservedUntil(db, companyId, idsOf('paying')),
  ]);
  const batch = new BatchState(snapshot, shop.locations);
  return rows.map((row) => {
    const totals = row.frozen === null ? totalsOf(shop, batch, row, requestOf(row, caller)) : null;
    const shown = {
      row,
      totals,
      products: snapshot.products,
      images,
      orderId: orderIds.get(row.id) ?? null,
      payment: payments.get(row.id) ?? null,
      reservedUntil: reservedUntil.get(row.id) ?? null,
    };
    return cartRecord(shown, shop);
  });
}

function productsOf(rows: readonly Pick<CartRow, 'lines'>[]): number[] {
  return [...new Set(rows.flatMap(({ lines }) => lines.map(({ product_id }) => product_id)))];
}
