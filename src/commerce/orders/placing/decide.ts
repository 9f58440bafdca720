import type { Settled } from '../../../db/batching/batcher.ts';
import { AppError, type ErrorCode, type FieldError, validationFailed } from '../../../errors.ts';
import { normaliseCountry } from '../../../lib/countries.ts';
import type { Correlation } from '../../../lib/tracing/correlation.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import type { FrozenPrice } from '../../carts/row.ts';
import type { CustomValues } from '../../custom-fields/definition.ts';
import { contextOf, mergeCustom } from '../../custom-fields/values.ts';
import { checkMetadata } from '../../fields.ts';
import type { StockChange } from '../../inventory/low-stock.ts';
import type { AllocatedLine } from '../../inventory/stock.ts';
import type { LedgerEntry } from '../../loyalty/ledger.ts';
import { checkRedeem, earnedPoints } from '../../loyalty/points.ts';
import { checkPromo, type Promo } from '../../promotions/discount.ts';
import type { Shop } from '../../shop.ts';
import { goesByState, readState } from '../../states.ts';
import type { ItemRow, OrderRow } from '../record.ts';
import { INITIAL_STATUS } from '../status.ts';
import { canonicaliseItems, type OrderLine, type PricedOrder, priceOrder, subtotalOf } from './pricing.ts';
import type { OrderNote, OrderRequest, RequestedItem } from './request.ts';
import {
  add,
  BatchState,
  CartChanged,
  type OrderingCustomer,
  type PlacementSnapshot,
  type StockedProduct,
} from './snapshot.ts';
import { variantRequired } from './variant-required.ts';

interface NewItem extends ItemRow {
  categories: readonly string[];
  /** Whether the order takes stock for this line. */
  tracked: boolean;
}

export interface NewOrder extends OrderRow {
  actor: string;
  /** For its event; not stored with the order. */
  correlation: Correlation | null;
  items: NewItem[];
  /** Where its stock is taken, in a shop with several locations. */
  allocations: AllocatedLine[];
  /** The price as its cart keeps it; null without a cart. */
  frozen: FrozenPrice | null;
  note: OrderNote | null;
}

/** What a batch writes, in one transaction. */
interface Placement {
  orders: NewOrder[];
  promoUses: Map<number, number>;
  ledger: LedgerEntry[];
  ordersByCustomer: Map<number, number>;
  stockChanges: StockChange[];
}

/**
 * Places the requests of one batch in the order of their arrival; each sees what those before it took. A request that fails
 * takes nothing and leaves the others alone. Pure: the caller reads the snapshot and writes the placement.
 */
export function placeBatch(
  shop: Shop,
  snapshot: PlacementSnapshot,
  requests: readonly OrderRequest[],
): {
  outcomes: Settled<NewOrder>[];
  placement: Placement;
} {
  const state = new BatchState(snapshot, shop.locations);
  const placement: Placement = {
    orders: [],
    promoUses: new Map(),
    ledger: [],
    ordersByCustomer: new Map(),
    stockChanges: [],
  };
  let usedLineIds = 0;
  const outcomes = requests.map((request, i): Settled<NewOrder> => {
    try {
      const quote = quoteOrder(shop, state, request);
      const order = newOrder(request, quote, { id: snapshot.orderIds[i]!, lines: snapshot.lineIds.slice(usedLineIds) });
      usedLineIds += order.items.length;
      state.take(request, quote, order);
      record(placement, shop, request, quote, order);
      return { ok: true, value: order };
    } catch (error) {
      if (error instanceof AppError || error instanceof CartChanged) return { ok: false, error };
      throw error;
    }
  });
  placement.stockChanges = state.stockChanges();
  return { outcomes, placement };
}

function newOrder(request: OrderRequest, quote: Quote, ids: { id: number; lines: readonly number[] }): NewOrder {
  const { priced } = quote;
  return {
    id: ids.id,
    customer_id: request.customerId,
    status: INITIAL_STATUS,
    subtotal: priced.subtotal,
    discount: priced.discount,
    tax: priced.tax,
    shipping: priced.shipping,
    total: priced.total,
    promo_code_id: quote.promo?.id ?? null,
    promo_code: quote.promo?.code ?? null,
    points_redeemed: priced.points_redeemed,
    shipping_address: request.address.address,
    shipping_city: request.address.city,
    shipping_state: quote.state,
    shipping_zip: request.address.zip,
    shipping_country: quote.country,
    shipping_method: priced.shipping_method?.name ?? null,
    tax_lines: priced.tax_lines,
    tracking_number: null,
    external_id: request.externalId,
    metadata: request.metadata,
    custom: quote.custom,
    subscription_id: request.subscriptionId,
    location_id: request.locationId,
    cart_id: request.cart?.id ?? null,
    origin: request.origin,
    guest: request.cart !== null && request.cart.guest !== null,
    billing: request.cart?.billing ?? null,
    created_at: request.now,
    updated_at: request.now,
    actor: request.actor,
    correlation: request.correlation,
    allocations: [],
    frozen: request.cart === null ? null : frozenPrice(quote),
    note: request.cart?.note ?? null,
    items: priced.lines.map((line, i) => ({
      ...snapshotOf(quote.products[i]!),
      id: ids.lines[i]!,
      product_id: line.product_id,
      product_name: line.product_name,
      qty: line.qty,
      price: line.price,
      subtotal: line.subtotal,
      discount: line.discount,
      tax: line.tax,
    })),
  };
}

function frozenPrice({ priced, products }: Quote): FrozenPrice {
  const { lines, ...amounts } = priced;
  return {
    ...amounts,
    lines: lines.map(({ product_id, parent_id, product_name, qty, price, subtotal, discount, tax }, i) => {
      const { title, sku, options } = products[i]!;
      return { product_id, parent_id, name: product_name, title, sku, options, qty, price, subtotal, discount, tax };
    }),
  };
}

/** What a line keeps of its product. */
function snapshotOf({ variant_of, sku, title, options, tax_class, categories, track_stock }: StockedProduct) {
  const variant = { parent_id: variant_of, title, options: variant_of === null ? null : options };
  return { ...variant, sku, tax_class, categories, tracked: track_stock };
}

function record(placement: Placement, shop: Shop, request: OrderRequest, quote: Quote, order: NewOrder): void {
  const { customerId, actor } = request;
  placement.orders.push(order);
  add(placement.ordersByCustomer, customerId, 1);
  if (quote.promo !== null) add(placement.promoUses, quote.promo.id, 1);
  if (order.points_redeemed > 0) {
    placement.ledger.push({ customerId, type: 'redeem', points: -order.points_redeemed, orderId: order.id, actor });
  }
  const { loyalty } = shop;
  if (!loyalty.enabled || loyalty.earn_on !== 'placed') return;
  const points = earnedPoints(order.subtotal, order.discount, loyalty.points_per_dollar, shop.exponent);
  if (points > 0) placement.ledger.push({ customerId, type: 'earn', points, orderId: order.id, actor });
}

/** A request priced against the state of its batch; it has no id yet. */
export interface Quote {
  customer: OrderingCustomer;
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
  const { customer, country, state, custom, products } = checkFields(shop, batch, request, items);
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
  return { customer, country, state, custom, promo, priced, products };
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
  const customer = batch.snapshot.customers.get(request.customerId);
  // The customer with a guest's e-mail address was read before the locks.
  if (request.cart?.guest != null && customer?.email?.toLowerCase() !== request.cart.guest.email) {
    throw new CartChanged(request.cart.id);
  }
  if (customer === undefined || customer.erased) fail('customer_id', 'unknown', 'Unknown customer');
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
  return { customer: customer!, country: country!, state, custom, products: products as StockedProduct[] };
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
  const found = state.promoOf(code, request.customerId);
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
