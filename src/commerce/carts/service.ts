import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { found } from '../../errors.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import type { IfMatch } from '../../lib/validation/revision.ts';
import type { Shop, ShopCache } from '../shop.ts';
import { adding, changingLine, onlyFields, refilling, removingLine } from './change.ts';
import type {
  Cart,
  CartInput,
  CartPatch,
  CartQuery,
  CartRecord,
  LineInput,
  LinePatch,
  LinesInput,
} from './contract.ts';
import { mergeCarts } from './merging.ts';
import * as queries from './queries.ts';
import { createCartReader, createRowReader, showCarts } from './reading.ts';
import { requireOpen } from './ready.ts';
import type { CartValues } from './row.ts';
import { changeCarts, createCartWriter } from './writing.ts';

export { type CartBuyer, holdBuyer } from './buyer.ts';
export { type CheckoutDeps, type CheckoutService, createCheckoutService } from './checkout.ts';
export { createCartPayable, createPayLinksService, type PayLinksService } from './pay-link.ts';
export { createCartPlacing } from './placing.ts';
export { lockCart } from './queries.ts';
export { withRecoverUrl } from './recovery.ts';
export { releaseCarts } from './release.ts';
export { createSettledCarts } from './settled.ts';

export type CartsService = ReturnType<typeof createCartsService<Cart>>;

export interface CartsDeps<Shown = Cart> {
  db: Db;
  shops: ShopCache;
  /** What the endpoints return of a cart; `token` is that of a new cart. Called in the transaction, since an Idempotency-Key keeps it. */
  present: (cart: CartRecord, shop: Shop, token: string | null) => Shown;
}

const MINUTE_MS = 60_000;

/** Carts of the commerce interface. See docs/design/carts.md. */
export function createCartsService<Shown>({ db, shops, present }: CartsDeps<Shown>) {
  const writer = createCartWriter({ db, shops }, present);
  const findRow = createRowReader(db);
  const read = createCartReader({ db, shops });

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
      const carts = await showCarts(
        lane,
        shop,
        rows.map((row) => ({ row, caller })),
      );
      return { rows: carts.map((cart) => present(cart, shop, null)), total, ...page };
    },

    /** Throws not_found. */
    async getCart(caller: Caller, id: number): Promise<Shown> {
      const { companyId } = caller;
      const cart = await read({ row: await findRow(companyId, id), caller });
      return present(cart, await shops.get(companyId), null);
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
      const [byToken, ownId] = await Promise.all([
        queries.findByToken(tx, companyId, token),
        queries.findOwnCart(tx, companyId, customerId),
      ]);
      if (byToken === undefined || byToken.id === ownId) return;
      const ids = ownId === undefined ? [byToken.id] : [byToken.id, ownId];
      const locked = await queries.lockForChange(tx, companyId, ids, 'wait');
      const [guest, own] = [byToken.id, ownId].map((id) => locked.find((row) => row.id === id));
      if (guest?.status !== 'open' || guest.customer_id !== null) return;
      const isKept = own?.status === 'open' && own.customer_id === customerId;
      const given = {
        fields: { customer_id: customerId },
        lines: isKept ? guest.lines.map(({ product_id, qty }) => ({ product_id, qty })) : [],
        change: (old: CartValues) => (isKept ? mergeCarts(old, guest, shop) : old),
      };
      const { outcomes, pending } = await changeCarts(tx, shop, [
        { caller, given, old: isKept ? own : guest, ifMatch: null, token: null },
      ]);
      await Promise.all(pending);
      const [outcome] = outcomes;
      if (outcome?.ok === false) throw outcome.error;
      if (isKept) await queries.closeMergedCart(tx, companyId, guest.id, now);
    },

    /** Fills a new cart with what is still sold of another cart's lines, without checking the stock. `token` is that of a shopper. */
    refillCart: (
      caller: Caller,
      {
        lines,
        ...fields
      }: Pick<CartPatch, 'promo_code' | 'customer_id' | 'location_id'> & { lines: readonly LineInput[] },
      token: string,
    ): Promise<Shown> => writer.create(caller, token, refilling(lines, fields)),

    /** `token` is that of a shopper. Throws validation_failed, variant_required, insufficient_stock. */
    createCart: (caller: Caller, { lines = [], ...fields }: CartInput, token: string | null = null): Promise<Shown> =>
      writer.create(caller, token, adding(lines, fields)),

    /** Throws not_found, cart_not_open, revision_mismatch, validation_failed. */
    updateCart: (caller: Caller, id: number, fields: CartPatch, ifMatch: IfMatch | null): Promise<Shown> =>
      writer.change(caller, id, ifMatch, onlyFields(fields)),

    /** Throws not_found, cart_not_open, validation_failed, variant_required, insufficient_stock. */
    addLines: (caller: Caller, id: number, { lines }: LinesInput): Promise<Shown> =>
      writer.change(caller, id, null, adding(lines)),

    /** Throws not_found, cart_not_open, revision_mismatch, validation_failed, insufficient_stock. */
    updateLine: (
      caller: Caller,
      { id, line_id }: { id: number; line_id: number },
      patch: LinePatch,
      ifMatch: IfMatch | null,
    ): Promise<Shown> => writer.change(caller, id, ifMatch, changingLine(line_id, patch)),

    /** Throws not_found, cart_not_open. */
    removeLine: (caller: Caller, { id, line_id }: { id: number; line_id: number }): Promise<Shown> =>
      writer.change(caller, id, null, removingLine(line_id)),

    /** Throws not_found, cart_not_open. */
    async cancelCart(caller: Caller, id: number): Promise<Shown> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      return write(db, caller, async (tx) => {
        requireOpen(found(await queries.lockCart(tx, companyId, id), 'cart'));
        const row = await queries.cancelCart(tx, companyId, id, now);
        const [cart] = await showCarts(tx, shop, [{ row, caller }]);
        return present(cart!, shop, null);
      });
    },
  };
}
