import type { Caller } from '../../../caller.ts';
import type { Settled } from '../../../db/batching/batcher.ts';
import { AppError, type ErrorCode, type FieldError, validationFailed } from '../../../errors.ts';
import { normaliseCountry } from '../../../lib/countries.ts';
import { type Correlation, correlationOf } from '../../../lib/tracing/correlation.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import { checkMetadata } from '../../fields.ts';
import type { LedgerEntry } from '../../loyalty/ledger.ts';
import { checkRedeem, earnedPoints } from '../../loyalty/points.ts';
import { checkPromo, type Promo } from '../../promotions/discount.ts';
import type { Shop } from '../../shop.ts';
import { goesByState, readState } from '../../states.ts';
import type { OrderInput } from '../contract.ts';
import type { ItemRow, OrderRow } from '../record.ts';
import { INITIAL_STATUS } from '../status.ts';
import { canonicaliseItems, type OrderLine, type PricedOrder, priceOrder, subtotalOf } from './pricing.ts';

/** An order to be placed. Its amounts are calculated, never given. */
export interface OrderRequest {
  customerId: number;
  items: readonly { product_id: number; qty: number }[];
  address: { address: string; city: string; state: string; zip: string; country: string | null };
  promoCode: string | null;
  redeemPoints: number;
  shippingMethodId: number | null;
  externalId: string | null;
  metadata: Record<string, unknown>;
  /** For a renewal: the price agreed at sign-up, which replaces the product's. */
  subscription: { id: number; price: number } | null;
  actor: string;
  /** Null for a renewal that is not traced, since no request caused it. */
  correlation: Correlation | null;
  now: Date;
}

/** Returns the request of a POST /orders body, with defaults. */
export function orderRequestOf(
  caller: Caller,
  input: Omit<OrderInput, 'external_id' | 'metadata'> & Partial<OrderInput>,
): OrderRequest {
  return {
    customerId: input.customer_id,
    items: input.items,
    address: {
      address: input.shipping_address,
      city: input.shipping_city,
      state: input.shipping_state ?? '',
      zip: input.shipping_zip,
      country: input.shipping_country ?? null,
    },
    promoCode: input.promo_code || null,
    redeemPoints: input.redeem_points ?? 0,
    shippingMethodId: input.shipping_method_id ?? null,
    externalId: input.external_id ?? null,
    metadata: input.metadata ?? {},
    subscription: null,
    actor: caller.actor,
    correlation: correlationOf(caller),
    now: caller.now,
  };
}

export interface StockedProduct {
  id: number;
  name: string;
  price: number;
  tax_class: string | null;
  categories: string[];
  archived: boolean;
  subscription_enabled: boolean;
  stock_qty: number;
}

export interface OrderingCustomer {
  id: number;
  email: string | null;
  first_name: string;
  last_name: string;
  phone: string | null;
  erased: boolean;
}

export interface CustomerUse {
  customer_id: number;
  promo_code_id: number;
  uses: number;
}

/** Everything that the requests of one batch refer to, as read (and locked) before the first of them is placed. */
export interface PlacementSnapshot {
  products: ReadonlyMap<number, StockedProduct>;
  customers: ReadonlyMap<number, OrderingCustomer>;
  /** By upper-case code. */
  promos: ReadonlyMap<string, Promo & { id: number; code: string }>;
  /** Customers with an order that was not cancelled; read where a request has a promo code. */
  orderers: ReadonlySet<number>;
  /** Uses of codes that are limited per customer. */
  uses: readonly CustomerUse[];
  balances: ReadonlyMap<number, number>;
  takenExternalIds: ReadonlySet<string>;
  /** One per request. */
  orderIds: readonly number[];
}

interface NewItem extends ItemRow {
  /** For events; not stored. */
  categories: readonly string[];
}

export interface NewOrder extends OrderRow {
  actor: string;
  /** For its event; not stored with the order. */
  correlation: Correlation | null;
  items: NewItem[];
}

/** What a batch writes, in one transaction. */
interface Placement {
  orders: NewOrder[];
  promoUses: Map<number, number>;
  ledger: LedgerEntry[];
  ordersByCustomer: Map<number, number>;
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
  const state = new BatchState(snapshot);
  const placement: Placement = {
    orders: [],
    promoUses: new Map(),
    ledger: [],
    ordersByCustomer: new Map(),
  };
  const outcomes = requests.map((request, i): Settled<NewOrder> => {
    try {
      const quote = quoteOrder(shop, state, request);
      const order = newOrder(request, quote, snapshot.orderIds[i]!);
      state.take(request, quote);
      record(placement, shop, request, quote, order);
      return { ok: true, value: order };
    } catch (error) {
      if (error instanceof AppError) return { ok: false, error };
      throw error;
    }
  });
  return { outcomes, placement };
}

function newOrder(request: OrderRequest, quote: Quote, id: number): NewOrder {
  const { priced } = quote;
  return {
    id,
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
    shipping_method: priced.shipping_method.name,
    tax_lines: priced.tax_lines,
    tracking_number: null,
    external_id: request.externalId,
    metadata: request.metadata,
    subscription_id: request.subscription?.id ?? null,
    created_at: request.now,
    updated_at: request.now,
    actor: request.actor,
    correlation: request.correlation,
    items: priced.lines.map((line) => ({
      product_id: line.product_id,
      product_name: line.product_name,
      qty: line.qty,
      price: line.price,
      subtotal: line.subtotal,
      discount: line.discount,
      tax: line.tax,
      categories: line.category_slugs,
    })),
  };
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
  if (customer === undefined || customer.erased) fail('customer_id', 'unknown', 'Unknown customer');
  const products = items.map(({ index, product_id }) => {
    const product = batch.snapshot.products.get(product_id);
    const field = `items.${index}.product_id`;
    if (product === undefined) fail(field, 'unknown', `${field}: unknown product`);
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

function checkPoints(shop: Shop, state: BatchState, request: OrderRequest): void {
  const points = request.redeemPoints;
  if (points === 0) return;
  const balance = state.balanceOf(request.customerId);
  const reason = checkRedeem({ settings: shop.loyalty, balance, points });
  if (reason === null) return;
  const { min_redeem_points } = shop.loyalty;
  throw new AppError(reason, POINTS_MESSAGES[reason], { requested: points, available: balance, min_redeem_points });
}

/** The snapshot less what earlier requests of the batch took: stock, points, promo code uses, external ids. */
export class BatchState {
  readonly snapshot: PlacementSnapshot;
  private readonly stock = new Map<number, number>();
  private readonly balances = new Map<number, number>();
  private readonly promoUses = new Map<number, number>();
  private readonly orderers: Set<number>;
  private readonly customerUses = new Map<string, number>();
  private readonly externalIds = new Set<string>();

  constructor(snapshot: PlacementSnapshot) {
    this.snapshot = snapshot;
    this.orderers = new Set(snapshot.orderers);
    for (const use of snapshot.uses) this.customerUses.set(`${use.customer_id}:${use.promo_code_id}`, use.uses);
  }

  stockOf(productId: number): number {
    return this.stock.get(productId) ?? this.snapshot.products.get(productId)?.stock_qty ?? 0;
  }

  balanceOf(customerId: number): number {
    return this.balances.get(customerId) ?? this.snapshot.balances.get(customerId) ?? 0;
  }

  isTaken(externalId: string): boolean {
    return this.externalIds.has(externalId) || this.snapshot.takenExternalIds.has(externalId);
  }

  /** Returns the promo with its current number of uses, and the customer's uses. */
  promoOf(code: string, customerId: number) {
    const promo = this.snapshot.promos.get(code.toUpperCase());
    if (promo === undefined) return null;
    return {
      promo: { ...promo, used_count: promo.used_count + (this.promoUses.get(promo.id) ?? 0) },
      hasOrdered: this.orderers.has(customerId),
      customerUses: this.customerUses.get(`${customerId}:${promo.id}`) ?? 0,
    };
  }

  take(request: OrderRequest, quote: { promo: { id: number } | null; priced: PricedOrder }): void {
    for (const line of quote.priced.lines) this.stock.set(line.product_id, this.stockOf(line.product_id) - line.qty);
    this.balances.set(request.customerId, this.balanceOf(request.customerId) - quote.priced.points_redeemed);
    this.orderers.add(request.customerId);
    if (quote.promo !== null) {
      add(this.promoUses, quote.promo.id, 1);
      add(this.customerUses, `${request.customerId}:${quote.promo.id}`, 1);
    }
    if (request.externalId !== null) this.externalIds.add(request.externalId);
  }
}

function add<K>(map: Map<K, number>, key: K, n: number): void {
  map.set(key, (map.get(key) ?? 0) + n);
}
