import type { Caller } from '../../caller.ts';
import type { Queryable } from '../../db/pool.ts';
import { hasLevels } from '../inventory/levels.ts';
import { earnedPoints } from '../loyalty/points.ts';
import { fromMinor } from '../money.ts';
import { eligibleMethods } from '../shipping/match.ts';
import type { Shop } from '../shop.ts';
import type { Calculation, CalculationInput, PromoPreview, PromoPreviewInput } from './contract.ts';
import { type Quote, quoteOrder } from './placing/check.ts';
import { subtotalOf } from './placing/pricing.ts';
import { readSnapshot } from './placing/queries.ts';
import { type OrderRequest, orderRequestOf } from './placing/request.ts';
import { BatchState } from './placing/snapshot.ts';
import { itemRecord, taxLineRecord } from './record.ts';

/** The customer id in a quote for somebody whom the shop does not know yet. */
const NOBODY = 0;
const STRANGER = { id: NOBODY, email: null, first_name: '', last_name: '', phone: null, erased: false };

const previewOf = (shop: Shop) => ({ lock: false, levels: hasLevels(shop.locations) });

/** Prices an order as placing it would; locks and writes nothing. Throws what placing would throw. */
async function quote(db: Queryable, shop: Shop, request: OrderRequest): Promise<Quote> {
  const snapshot = await readSnapshot(db, shop.companyId, [request], previewOf(shop));
  const customers = request.customerId === NOBODY ? new Map([[NOBODY, STRANGER]]) : snapshot.customers;
  return quoteOrder(shop, new BatchState({ ...snapshot, customers }, shop.locations), request);
}

/** The same as if there were enough stock, and whether there is; used for previews of renewals. */
export async function quoteWithoutStock(
  db: Queryable,
  shop: Shop,
  request: OrderRequest,
): Promise<{ quote: Quote; inStock: boolean }> {
  const snapshot = await readSnapshot(db, shop.companyId, [request], previewOf(shop));
  const asked = new Map(request.items.map((item) => [item.product_id, item.qty]));
  const products = [...snapshot.products.values()];
  const inStock = products.every(({ id, track_stock, stock_qty }) => !track_stock || stock_qty >= asked.get(id)!);
  const stocked = products.map((product) => [product.id, { ...product, track_stock: false }] as const);
  return {
    quote: quoteOrder(shop, new BatchState({ ...snapshot, products: new Map(stocked) }, shop.locations), request),
    inStock,
  };
}

/** Prices an order as placing it would; writes nothing. Throws what placing the order would throw. */
export async function calculateOrder(
  db: Queryable,
  shop: Shop,
  caller: Caller,
  input: CalculationInput,
): Promise<Calculation> {
  const { customer_id = NOBODY, shipping_address = '', shipping_city = '', shipping_zip = '', ...rest } = input;
  const request = orderRequestOf(caller, { ...rest, customer_id, shipping_address, shipping_city, shipping_zip });
  const quoted = await quote(db, shop, request);
  const { priced, country, state } = quoted;
  const money = (minor: number): number => fromMinor(minor, shop.exponent);
  const address = { country, state: state || null, zip: shipping_zip };
  const offered =
    priced.shipping_method === null
      ? []
      : eligibleMethods(shop.zones, shop.methods, address, subtotalOf(priced.lines) - priced.discount);
  return {
    currency: shop.currency,
    items: priced.lines.map((line) => itemRecord(line, shop)),
    subtotal: money(priced.subtotal),
    discount: money(priced.discount),
    promo_discount: money(priced.promo_discount),
    points_discount: money(priced.points_discount),
    points_redeemed: priced.points_redeemed,
    points_earned: pointsEarned(shop, quoted),
    shipping: money(priced.shipping),
    shipping_country: country,
    shipping_method: priced.shipping_method,
    shipping_methods: offered.map(({ cost, ...method }) => ({ ...method, cost: money(cost) })),
    tax: money(priced.tax),
    tax_lines: priced.tax_lines.map((line) => taxLineRecord(line, shop)),
    total: money(priced.total),
  };
}

function pointsEarned({ loyalty, exponent }: Shop, { priced }: Quote): number {
  if (!loyalty.enabled) return 0;
  return earnedPoints(priced.subtotal, priced.discount, loyalty.points_per_dollar, exponent);
}

/** Prices a basket with a promo code. Throws what placing the order would throw. */
export async function promoPreview(
  db: Queryable,
  shop: Shop,
  caller: Caller,
  input: PromoPreviewInput,
): Promise<PromoPreview> {
  const { priced, promo } = await quote(db, shop, orderRequestOf(caller, input));
  const money = (minor: number): number => fromMinor(minor, shop.exponent);
  return {
    promo_code: promo!.code,
    valid: true,
    discount: money(priced.promo_discount),
    free_shipping: promo!.type === 'free_shipping',
    subtotal: money(priced.subtotal),
    shipping: money(priced.shipping),
    tax: money(priced.tax),
    total: money(priced.total),
  };
}
