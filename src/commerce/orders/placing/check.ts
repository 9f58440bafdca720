import { AppError, type ErrorCode, type FieldError, validationFailed } from '../../../errors.ts';
import { normaliseCountry } from '../../../lib/countries.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import type { CustomValues } from '../../custom-fields/definition.ts';
import { contextOf, mergeCustom } from '../../custom-fields/values.ts';
import { checkMetadata } from '../../fields.ts';
import { checkRedeem } from '../../loyalty/points.ts';
import { checkPromo, type Promo } from '../../promotions/discount.ts';
import type { Shop } from '../../shop.ts';
import { goesByState, readState } from '../../states.ts';
import { canonicaliseItems, type OrderLine, type PricedOrder, priceOrder, subtotalOf } from './pricing.ts';
import type { OrderRequest, RequestedItem } from './request.ts';
import { type BatchState, buyerOf, CartChanged, type StockedProduct } from './snapshot.ts';
import { variantRequired } from './variant-required.ts';

/** A request priced against the state of its batch; it has no id yet. */
export interface Quote {
  country: string;
  /** By its ISO 3166-2 code where it is known. */
  state: string;
  custom: CustomValues;
  promo: (Promo & { id: number; code: string }) | null;
  priced: PricedOrder;
  /** Of the lines. */
  products: StockedProduct[];
}

/** Checks a request against the state of its batch and prices it. Pure. Throws the contract's errors. */
export function quoteOrder(shop: Shop, batch: BatchState, request: OrderRequest): Quote {
  if (request.cart !== null) batch.checkCart(request.cart);
  const items = canonicaliseItems(request.items);
  const { country, state, custom, products } = checkFields(shop, batch, request, items);
  checkVariants(shop, items, products);
  checkStock(batch, items, request.locationId);
  const lines = items.map((item, i) => orderLine(products[i]!, item));
  const promo = usablePromo(batch, request, lines);
  checkPoints(shop, batch, request);
  const priced = priceOrder({
    lines,
    promo,
    redeem: request.redeemPoints > 0 ? { points: request.redeemPoints, point_value: shop.loyalty.point_value } : null,
    address: { country, state: state === '' ? null : state, zip: request.address.zip },
    tax: shop.tax,
    shipping: { zones: shop.zones, methods: shop.methods, method_id: request.shippingMethodId },
    exponent: shop.exponent,
  });
  return { country, state, custom, promo, priced, products };
}

/** A line at the product's present price, or at the price of the request. */
export function orderLine(product: StockedProduct, { qty, price = product.price }: RequestedItem): OrderLine {
  return {
    product_id: product.id,
    parent_id: product.variant_of,
    product_name: product.name,
    qty,
    price,
    tax_class: product.tax_class,
    requires_shipping: product.requires_shipping,
    category_slugs: product.categories,
  };
}

function checkFields(
  shop: Shop,
  batch: BatchState,
  request: OrderRequest,
  items: ReturnType<typeof canonicaliseItems>,
) {
  const failed: FieldError[] = [];
  const fail = (field: string, code: string, message: string): void => {
    failed.push({ field, code, message });
  };
  checkGuest(batch, request);
  const customer = batch.snapshot.customers.get(request.customerId);
  // Only the reservation of a guest gets here without a customer.
  const isUnknown = customer === undefined ? request.cart?.guest == null : customer.erased;
  if (isUnknown) fail('customer_id', 'unknown', 'Unknown customer');
  const products = items.map(({ index, product_id }) => {
    const product = batch.snapshot.products.get(product_id);
    const field = `items.${index}.product_id`;
    if (product === undefined) fail(field, 'unknown', `${field}: unknown product`);
    else if (product.archived) fail(field, 'archived', `${field} names a product that is not sold`);
    return product;
  });
  const { country: given } = request.address;
  let { state } = request.address;
  const country = given === null ? shop.country : normaliseCountry(given);
  if (country === null) failed.push(wrong('shipping_country', problem('no_country'), 'unknown'));
  else if (state !== '') state = readState('shipping_state', state, country, shop, failed);
  else if (goesByState(shop, country)) failed.push(wrong('shipping_state', problem('no_state'), 'required'));
  if (request.locationId !== null && !shop.locations.some(({ id }) => id === request.locationId)) {
    fail('location_id', 'unknown', 'Unknown location, or one that is closed');
  }
  checkMetadata(request.metadata, failed);
  const context = contextOf(shop, batch.snapshot.definitions);
  const custom = request.custom === null ? {} : mergeCustom(context, 'order', request.custom, null, failed);
  if (request.externalId !== null && batch.isTaken(request.externalId)) {
    throw new AppError('duplicate', 'Another order has this external_id', { field: 'external_id' });
  }
  if (failed.length > 0) throw validationFailed(failed);
  return { country: country!, state, custom, products: products as StockedProduct[] };
}

/** Throws CartChanged if the customer with a guest's e-mail address, who was read before the locks, has another one by now. */
export function checkGuest({ snapshot }: BatchState, { cart, customerId }: OrderRequest): void {
  if (cart === null || cart.guest === null || customerId === 0) return;
  if (snapshot.customers.get(customerId)?.email?.toLowerCase() !== cart.guest.email) throw new CartChanged(cart.id);
}

/** Throws variant_required for the first line that names a parent. */
function checkVariants(
  shop: Shop,
  items: ReturnType<typeof canonicaliseItems>,
  products: readonly StockedProduct[],
): void {
  const at = products.findIndex(({ variants }) => variants !== null);
  if (at !== -1) throw variantRequired(shop, products[at]!, { index: items[at]!.index });
}

/** Throws insufficient_stock with every line that lacks stock. */
function checkStock(
  { snapshot, levels }: BatchState,
  items: ReturnType<typeof canonicaliseItems>,
  locationId: number | null,
): void {
  const short = items
    .filter(({ product_id }) => snapshot.products.get(product_id)!.track_stock)
    .map(({ index, product_id, qty }) => ({
      index,
      product_id,
      requested: qty,
      available: levels.available(product_id, locationId),
    }))
    .filter(({ requested, available }) => available < requested);
  if (short.length > 0) throw new AppError('insufficient_stock', 'Not enough stock', { items: short });
}

const PROMO_MESSAGES: Partial<Record<ErrorCode, string>> = {
  promo_inactive: 'This promo code is not active',
  promo_not_started: 'This promo code is not valid yet',
  promo_expired: 'This promo code has expired',
  promo_usage_limit: 'This promo code has been used up',
  promo_customer_limit: 'This customer has used this promo code as often as it allows',
  promo_min_subtotal: 'The order is too small for this promo code',
  promo_not_applicable: 'This promo code does not apply to this order',
};

/** Returns the promo code of the request, null without one. Throws the reason why it cannot be used. */
export function usablePromo(state: BatchState, request: OrderRequest, lines: readonly OrderLine[]) {
  const code = request.promoCode;
  if (code === null) return null;
  const found = state.promoOf(code, buyerOf(request));
  if (found === null) throw new AppError('promo_not_found', 'Unknown promo code', { promo_code: code });
  const { promo, ...counts } = found;
  const reason = checkPromo(promo, { now: request.now, subtotal: subtotalOf(lines), lines, ...counts });
  if (reason !== null) throw new AppError(reason, PROMO_MESSAGES[reason]!, { promo_code: promo.code });
  return promo;
}

const POINTS_MESSAGES = {
  loyalty_disabled: 'The loyalty program is switched off',
  below_min_redeem: 'So few points cannot be redeemed',
  insufficient_points: 'The customer has too few points',
} as const;

/** Throws the reason why the points of the request cannot be redeemed. */
export function checkPoints(shop: Shop, state: BatchState, request: OrderRequest): void {
  const points = request.redeemPoints;
  if (points === 0) return;
  // A guest is not signed in: the points of the customer with the same e-mail address are not theirs to spend.
  const balance = request.cart?.guest == null ? state.balanceOf(request.customerId) : 0;
  const reason = checkRedeem({ settings: shop.loyalty, balance, points });
  if (reason === null) return;
  const { min_redeem_points } = shop.loyalty;
  throw new AppError(reason, POINTS_MESSAGES[reason], { requested: points, available: balance, min_redeem_points });
}
