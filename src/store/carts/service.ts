import { randomBytes } from 'node:crypto';
import type { Caller } from '../../caller.ts';
import type { CartRecord, Checkout } from '../../commerce/carts/contract.ts';
import { recoveredCart } from '../../commerce/carts/recovery.ts';
import { type CheckoutDeps, createCartsService, createCheckoutService } from '../../commerce/carts/service.ts';
import { findSignedIn } from '../../commerce/customers/accounts/service.ts';
import type { Shop } from '../../commerce/shop.ts';
import { AppError, notFound, validationFailed } from '../../errors.ts';
import type { ShopperTokens } from '../../http/api/shopper-tokens.ts';
import type { IfMatch } from '../../lib/validation/revision.ts';
import { FEW, visibleCustom } from '../catalogue/shown.ts';
import type { StoreCheckout } from '../orders/contract.ts';
import { shownOrder, shownPayment } from '../orders/shown.ts';
import type { StoreCart, StoreCartInput, StoreCartPatch, StoreLines, StorePayInput } from './contract.ts';

const PREFIX = 'tl_cart_';
const TOKEN = /^tl_cart_[\w-]{43}$/;

/** A shopper's request. */
interface Asked {
  caller: Caller;
  tokens: ShopperTokens;
  /** Of the store key. */
  locationId: number | null;
}

export type StoreCartsService = ReturnType<typeof createStoreCartsService>;

/** The carts of shoppers, known by their tokens or by the customer who is signed in. */
export function createStoreCartsService({ db: { visitors: db }, shops, ...deps }: CheckoutDeps) {
  const carts = createCartsService({ db, shops, present: shownCart });
  const checkout = createCheckoutService({ db, shops, ...deps });

  /** Returns the cart of a token, or the open one of a customer whose guest's cart was merged, or who has no token. Throws not_found. */
  async function cartOf(asked: Asked): Promise<number> {
    const { caller, tokens } = asked;
    const { companyId } = caller;
    const isToken = tokens.cart !== null && TOKEN.test(tokens.cart);
    const found = isToken ? await carts.findByToken(companyId, tokens.cart!) : undefined;
    if (found !== undefined && found.status !== 'merged') return found.id;
    const customerId = await customerOf(asked);
    const own = customerId === null ? undefined : await carts.findOwnCart(companyId, customerId);
    if (own === undefined) throw notFound('cart');
    return own;
  }

  /** Returns where a new cart is taken from; null if the store key names no location, or one that was closed. */
  async function locationOf({ caller, locationId }: Asked): Promise<number | null> {
    const { locations } = await shops.get(caller.companyId);
    return locations.some(({ id }) => id === locationId) ? locationId : null;
  }

  async function customerOf({ caller, tokens }: Asked): Promise<number | null> {
    return tokens.customer === null ? null : (await findSignedIn(db, caller, tokens.customer)).customerId;
  }

  async function shown(asked: Asked, work: (id: number) => Promise<StoreCart>): Promise<StoreCart> {
    const { companyId } = asked.caller;
    return work(await cartOf(asked)).catch((error: unknown) => refusal(companyId, error));
  }

  async function paid(asked: Asked, work: (id: number) => Promise<Checkout>): Promise<StoreCheckout> {
    const { companyId } = asked.caller;
    const state = await work(await cartOf(asked)).catch((error: unknown) => refusal(companyId, error));
    const { order, payment } = state;
    return { ...state, order: order && shownOrder(order), payment: payment && shownPayment(payment) };
  }

  /** Rethrows an error, without the quantities that the shop does not show. */
  async function refusal(companyId: number, error: unknown): Promise<never> {
    if (!(error instanceof AppError) || error.code !== 'insufficient_stock') throw error;
    const { show_stock: shows } = (await shops.get(companyId)).checkout;
    if (shows === 'exact') throw error;
    const items = error.details.items as { available: number }[];
    const shownItems = items.map(({ available, ...item }) => {
      return { ...item, available: shows === 'few' && available <= FEW ? available : null };
    });
    throw new AppError('insufficient_stock', error.message, { items: shownItems });
  }

  /** Throws validation_failed for custom fields that the store does not show. */
  async function checkCustom({ companyId }: Caller, { custom }: StoreCartPatch): Promise<void> {
    if (custom === undefined) return;
    const known = new Set(visibleFields(await shops.get(companyId)));
    const unknown = Object.keys(custom).filter((key) => !known.has(key));
    if (unknown.length === 0) return;
    const errors = unknown.map((key) => ({ field: `custom.${key}`, code: 'unknown', message: `Unknown field ${key}` }));
    throw validationFailed(errors);
  }

  return {
    /** Throws validation_failed, variant_required, insufficient_stock, missing_session. */
    async createCart(asked: Asked, input: StoreCartInput): Promise<NewStoreCart> {
      const { caller } = asked;
      await checkCustom(caller, input);
      const [customer_id, location_id] = await Promise.all([customerOf(asked), locationOf(asked)]);
      const cart = carts.createCart(caller, { ...input, customer_id, location_id }, newToken());
      return (await cart.catch((error: unknown) => refusal(caller.companyId, error))) as NewStoreCart;
    },

    /** Throws not_found, missing_session. */
    async recoverCart(asked: Asked, link: string): Promise<NewStoreCart> {
      const { companyId } = asked.caller;
      const [customer_id, location_id, recovered] = await Promise.all([
        customerOf(asked),
        locationOf(asked),
        recoveredCart(db.points(companyId), deps.tokenKey, companyId, link),
      ]);
      return (await carts.refillCart(
        asked.caller,
        { ...recovered, customer_id, location_id },
        newToken(),
      )) as NewStoreCart;
    },

    getCart: (asked: Asked): Promise<StoreCart> => shown(asked, (id) => carts.getCart(asked.caller, id)),

    async updateCart(asked: Asked, patch: StoreCartPatch, ifMatch: IfMatch | null): Promise<StoreCart> {
      await checkCustom(asked.caller, patch);
      return shown(asked, (id) => carts.updateCart(asked.caller, id, patch, ifMatch));
    },

    addLines: (asked: Asked, input: StoreLines): Promise<StoreCart> =>
      shown(asked, (id) => carts.addLines(asked.caller, id, input)),

    updateLine: (asked: Asked, line_id: number, patch: { qty: number }): Promise<StoreCart> =>
      shown(asked, (id) => carts.updateLine(asked.caller, { id, line_id }, patch, null)),

    removeLine: (asked: Asked, line_id: number): Promise<StoreCart> =>
      shown(asked, (id) => carts.removeLine(asked.caller, { id, line_id })),

    payCart: (asked: Asked, { save_method: saves = false, ...input }: StorePayInput): Promise<StoreCheckout> =>
      paid(asked, async (id) => {
        const signedIn = saves || input.saved_method_id != null ? await customerOf(asked) : null;
        return checkout.payCart(asked.caller, id, input, { isStaff: false, saves, signedIn });
      }),

    confirmCart: (asked: Asked): Promise<StoreCheckout> => paid(asked, (id) => checkout.confirmCart(asked.caller, id)),

    reopenCart: (asked: Asked): Promise<StoreCheckout> => paid(asked, (id) => checkout.reopenCart(asked.caller, id)),
  };
}

function visibleFields({ customFields }: Pick<Shop, 'customFields'>): string[] {
  return customFields.filter(({ on, visible }) => on === 'order' && visible === 'store').map(({ key }) => key);
}

type NewStoreCart = StoreCart & { token: string };

const newToken = (): string => PREFIX + randomBytes(32).toString('base64url');

/** Only a new cart has its token. */
function shownCart(
  { customer_id, location_id, metadata, origin, subscription_id, cycle_date, lines, ...cart }: CartRecord,
  shop: Shop,
  token: string | null,
): StoreCart | NewStoreCart {
  return {
    ...cart,
    custom: visibleCustom(shop, 'order', cart.custom),
    lines: lines.map(({ override_reason, ...line }) => line),
    ...(token === null ? {} : { token }),
  };
}
