import { AppError, type ErrorCode, type FieldError, validationFailed } from '../../../errors.ts';
import { normaliseCountry } from '../../../lib/countries.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import { checkMetadata } from '../../fields.ts';
import { checkRedeem } from '../../loyalty/points.ts';
import { checkPromo, type Promo } from '../../promotions/discount.ts';
import type { Shop } from '../../shop.ts';
import { goesByState, readState } from '../../states.ts';
import type { BatchState } from './batch-state.ts';
import type { OrderRequest } from './order-request.ts';
import { canonicaliseItems, type OrderLine, type PricedOrder, priceOrder, subtotalOf } from './pricing.ts';
import type { OrderingCustomer, StockedProduct } from './snapshot-queries.ts';

/** A request priced against the state of its batch; it has no id yet. */
export interface Quote {
  customer: OrderingCustomer;
  country: string;
  /** By its ISO 3166-2 code where it is known. */
  state: string;
  promo: (Promo & { id: number; code: string }) | null;
  priced: PricedOrder;
}

/** Checks a request against the state of its batch and prices it. Pure. Throws the contract's errors. */
export function quoteOrder(shop: Shop, batch: BatchState, request: OrderRequest): Quote {
  const items = canonicaliseItems(request.items);
  const { customer, country, state, products } = checkFields(shop, batch, request, items);
  checkStock(batch, items);
  const lines = items.map((item, i): OrderLine => {
    const product = products[i]!;
    return {
      product_id: product.id,
      product_name: product.name,
      qty: item.qty,
      price: request.subscription?.price ?? product.price,
      tax_class: product.tax_class,
      category_slugs: product.categories,
    };
  });
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
  return { customer, country, state, promo, priced };
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
  const customer = batch.snapshot.customers.get(request.customerId);
  if (customer === undefined || customer.erased) fail('customer_id', 'unknown', 'customer_id names no customer');
  const products = items.map(({ index, product_id }) => {
    const product = batch.snapshot.products.get(product_id);
    const field = `items.${index}.product_id`;
    if (product === undefined) fail(field, 'unknown', `${field} names no product`);
    else if (product.archived) fail(field, 'archived', `${field} names a product that is no longer sold`);
    return product;
  });
  const { country: given } = request.address;
  let { state } = request.address;
  const country = given === null ? shop.country : normaliseCountry(given);
  if (country === null) failed.push(wrong('shipping_country', problem('no_country'), 'unknown'));
  else if (state !== '') state = readState('shipping_state', state, country, shop, failed);
  else if (goesByState(shop, country)) failed.push(wrong('shipping_state', problem('no_state'), 'required'));
  checkMetadata(request.metadata, failed);
  if (request.externalId !== null && batch.isTaken(request.externalId)) {
    throw new AppError('duplicate', 'Another order has this external_id', { field: 'external_id' });
  }
  if (failed.length > 0) throw validationFailed(failed);
  return { customer: customer!, country: country!, state, products: products as StockedProduct[] };
}

/** Throws insufficient_stock with every line that lacks stock. */
function checkStock(state: BatchState, items: ReturnType<typeof canonicaliseItems>): void {
  const short = items
    .filter(({ product_id, qty }) => state.stockOf(product_id) < qty)
    .map(({ index, product_id, qty }) => ({ index, product_id, requested: qty, available: state.stockOf(product_id) }));
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

function usablePromo(state: BatchState, request: OrderRequest, lines: readonly OrderLine[]) {
  const code = request.promoCode;
  if (code === null) return null;
  const found = state.promoOf(code, request.customerId);
  if (found === null) throw new AppError('promo_not_found', 'There is no such promo code', { promo_code: code });
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

function checkPoints(shop: Shop, state: BatchState, request: OrderRequest): void {
  const points = request.redeemPoints;
  if (points === 0) return;
  const balance = state.balanceOf(request.customerId);
  const reason = checkRedeem({ settings: shop.loyalty, balance, points });
  if (reason === null) return;
  const { min_redeem_points } = shop.loyalty;
  throw new AppError(reason, POINTS_MESSAGES[reason], { requested: points, available: balance, min_redeem_points });
}
