import type { Caller } from '../../../caller.ts';
import type { Queryable } from '../../../db/pool.ts';
import { earnedPoints } from '../../loyalty/points.ts';
import { fromMinor } from '../../money.ts';
import { eligibleMethods } from '../../shipping/match.ts';
import type { Shop } from '../../shop.ts';
import { orderRequestOf } from '../placing/order-request.ts';
import { subtotalOf } from '../placing/pricing.ts';
import type { Quote } from '../placing/quote-order.ts';
import { NOBODY, quote } from '../quote.ts';
import { itemRecord, taxLineRecord } from '../record.ts';
import type { Calculation, CalculationInput } from './contract.ts';

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
    shipping_methods: eligibleMethods(
      shop.zones,
      shop.methods,
      { country, state: state || null, zip: shipping_zip },
      subtotalOf(priced.lines) - priced.discount,
    ).map(({ cost, ...method }) => ({ ...method, cost: money(cost) })),
    tax: money(priced.tax),
    tax_lines: priced.tax_lines.map((line) => taxLineRecord(line, shop)),
    total: money(priced.total),
  };
}

function pointsEarned({ loyalty, exponent }: Shop, { priced }: Quote): number {
  if (!loyalty.enabled) return 0;
  return earnedPoints(priced.subtotal, priced.discount, loyalty.points_per_dollar, exponent);
}
