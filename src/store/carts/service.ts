import { randomBytes } from 'node:crypto';
import type { Caller } from '../../caller.ts';
import type { Cart, Checkout, PayInput } from '../../commerce/carts/contract.ts';
import { type CheckoutDeps, createCartsService, createCheckoutService } from '../../commerce/carts/service.ts';
import { AppError, notFound } from '../../errors.ts';
import type { IfMatch } from '../../lib/validation/revision.ts';
import { FEW } from '../catalogue/shown.ts';
import { shownOrder } from '../orders/shown.ts';
import type { StoreCart, StoreCartInput, StoreCartPatch, StoreCheckout, StoreLines } from './contract.ts';

const PREFIX = 'tl_cart_';
const TOKEN = /^tl_cart_[\w-]{43}$/;

export type StoreCartsService = ReturnType<typeof createStoreCartsService>;

/** The carts of shoppers, each known by its token. */
export function createStoreCartsService({ db: { visitors: db }, shops, ...deps }: CheckoutDeps) {
  const carts = createCartsService({ db, shops });
  const checkout = createCheckoutService({ db, shops, ...deps });

  /** Runs `work` with the id of the token's cart. Throws not_found, and what `work` throws. */
  async function ofToken<T>({ companyId }: Caller, token: string | null, work: (id: number) => Promise<T>): Promise<T> {
    const id = token !== null && TOKEN.test(token) ? await carts.findByToken(companyId, token) : undefined;
    if (id === undefined) throw notFound('cart');
    return work(id).catch((error: unknown) => refusal(companyId, error));
  }

  /** Rethrows an error, without the quantities that the shop does not show. */
  async function refusal(companyId: number, error: unknown): Promise<never> {
    if (!(error instanceof AppError) || error.code !== 'insufficient_stock') throw error;
    const { show_stock: shows } = (await shops.get(companyId)).checkout;
    if (shows === 'exact') throw error;
    const items = error.details.items as { available: number }[];
    const shown = items.map(({ available, ...item }) => {
      return { ...item, available: shows === 'few' && available <= FEW ? available : null };
    });
    throw new AppError('insufficient_stock', error.message, { items: shown });
  }

  const shownBy = (work: (id: number) => Promise<Cart>) => async (id: number) => shownCart(await work(id));
  const paidBy = (work: (id: number) => Promise<Checkout>) => async (id: number) => shownCheckout(await work(id));

  return {
    /** Throws validation_failed, variant_required, insufficient_stock. */
    async createCart(caller: Caller, input: StoreCartInput): Promise<StoreCart & { token: string }> {
      const token = PREFIX + randomBytes(32).toString('base64url');
      const cart = await carts.createCart(caller, input, token).catch((error) => refusal(caller.companyId, error));
      return { ...shownCart(cart), token };
    },

    getCart: (caller: Caller, token: string | null): Promise<StoreCart> =>
      ofToken(
        caller,
        token,
        shownBy((id) => carts.getCart(caller, id)),
      ),

    updateCart: (caller: Caller, token: string | null, patch: StoreCartPatch, ifMatch: IfMatch | null) =>
      ofToken(
        caller,
        token,
        shownBy((id) => carts.updateCart(caller, id, patch, ifMatch)),
      ),

    addLines: (caller: Caller, token: string | null, input: StoreLines): Promise<StoreCart> =>
      ofToken(
        caller,
        token,
        shownBy((id) => carts.addLines(caller, id, input)),
      ),

    updateLine: (caller: Caller, token: string | null, line_id: number, patch: { qty: number }): Promise<StoreCart> =>
      ofToken(
        caller,
        token,
        shownBy((id) => carts.updateLine(caller, { id, line_id }, patch, null)),
      ),

    removeLine: (caller: Caller, token: string | null, line_id: number): Promise<StoreCart> =>
      ofToken(
        caller,
        token,
        shownBy((id) => carts.removeLine(caller, { id, line_id })),
      ),

    payCart: (caller: Caller, token: string | null, input: PayInput): Promise<StoreCheckout> =>
      ofToken(
        caller,
        token,
        paidBy((id) => checkout.payCart(caller, id, input, { isStaff: false })),
      ),

    confirmCart: (caller: Caller, token: string | null): Promise<StoreCheckout> =>
      ofToken(
        caller,
        token,
        paidBy((id) => checkout.confirmCart(caller, id)),
      ),

    reopenCart: (caller: Caller, token: string | null): Promise<StoreCheckout> =>
      ofToken(
        caller,
        token,
        paidBy((id) => checkout.reopenCart(caller, id)),
      ),
  };
}

function shownCart({ customer_id, location_id, metadata, origin, lines, ...cart }: Cart): StoreCart {
  return { ...cart, lines: lines.map(({ override_reason, ...line }) => line) };
}

function shownCheckout({ order, ...checkout }: Checkout): StoreCheckout {
  return { ...checkout, order: order && shownOrder(order) };
}
