import { AppError, invalidField } from '../../../errors.ts';
import type { Address } from '../../address.ts';
import { allocate } from '../../allocation.ts';
import { pointsValue, pointsWorth } from '../../loyalty/points.ts';
import type { Micros, Minor } from '../../money.ts';
import { discountOf, type Promo } from '../../promotions/discount.ts';
import { chooseMethod, type ShippingMethod, type ShippingQuote, type ShippingZone } from '../../shipping/match.ts';
import { calculateTaxes, type TaxLine, type TaxSettings } from '../../taxes/calculate.ts';
import type { RequestedItem } from './request.ts';

/** One product of the order at its present price. No product occurs twice (see `canonicaliseItems`). */
export interface OrderLine {
  product_id: number;
  /** Of a variant. */
  parent_id: number | null;
  product_name: string;
  qty: number;
  /** Price of one unit. */
  price: Minor;
  tax_class: string | null;
  requires_shipping: boolean;
  category_slugs: readonly string[];
}

export interface PricingInput {
  lines: readonly OrderLine[];
  /** Already checked by `checkPromo`. */
  promo: Promo | null;
  /** Points to redeem, already checked by `checkRedeem`, and the value of one in major units. */
  redeem: { points: number; point_value: Micros } | null;
  address: Address;
  tax: TaxSettings;
  /** `method_id` is the requested method; null takes the first that is offered. */
  shipping: { zones: readonly ShippingZone[]; methods: readonly ShippingMethod[]; method_id: number | null };
  /** Exponent of the company's currency. */
  exponent: number;
}

interface PricedLine extends OrderLine {
  subtotal: Minor;
  /** The line's part of the order's discount, at most its subtotal. */
  discount: Minor;
  tax: Minor;
}

/** All amounts are whole minor units ≥ 0 below 2^53. */
export interface PricedOrder {
  lines: PricedLine[];
  /** Σ lines.subtotal. */
  subtotal: Minor;
  /** Σ lines.discount = promo_discount + points_discount; at most `subtotal`. */
  discount: Minor;
  promo_discount: Minor;
  points_discount: Minor;
  /** At most the points requested; fewer if fewer cover the order. */
  points_redeemed: number;
  /** Σ lines.tax + the tax on shipping = Σ tax_lines.amount. */
  tax: Minor;
  tax_lines: TaxLine[];
  shipping: Minor;
  /** Null if no line requires shipping. */
  shipping_method: { id: number; name: string } | null;
  /** subtotal − discount + tax + shipping. */
  total: Minor;
}

/**
 * Prices an order: subtotals, promo code, points, shipping, taxes, total, in this order. Orders, renewals and previews are
 * all priced here.
 *
 * If prices include tax, the customer pays the shown prices and shipping costs less discounts, and the tax is part of them.
 * `price` and `discount` then stay as shown; the tax is subtracted from each line's `subtotal` (which is then below
 * price × qty) and from `shipping`, so that subtotal − discount + tax + shipping = total in either case, for the order and
 * for each line. Promo codes and shipping brackets apply to the shown prices.
 *
 * Throws `shipping_unavailable`, and `validation_failed` on `items` when an amount passes 2^53.
 */
export function priceOrder(input: PricingInput): PricedOrder {
  const lines = input.lines.map(pricedLine);
  const shown = subtotalOf(input.lines);
  // Below this bound all later sums are exact.
  assertInRange(shown);

  const promoDiscount = input.promo === null ? 0 : takeOff(lines, discountOf(input.promo, input.lines));
  const redeemed = redeem(input.redeem, shown - promoDiscount, input.exponent);
  if (redeemed.value > 0) takeOff(lines, allocate(redeemed.value, lines.map(leftOf)));
  const discount = promoDiscount + redeemed.value;

  const quote = quoteShipping(input, shown - discount);
  const quoted = quote === null || input.promo?.type === 'free_shipping' ? 0 : quote.cost;

  const taxes = calculateTaxes(lines, quoted, input.address, input.tax);
  const contained = input.tax.prices_include_tax;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    line.tax = taxes.lines[i]!;
    if (contained) line.subtotal -= line.tax;
  }
  const shipping = contained ? quoted - taxes.shipping : quoted;
  const subtotal = contained ? shown - (taxes.total - taxes.shipping) : shown;
  const total = subtotal - discount + taxes.total + shipping;
  assertInRange(total);
  return {
    lines,
    subtotal,
    discount,
    promo_discount: promoDiscount,
    points_discount: redeemed.value,
    points_redeemed: redeemed.points,
    tax: taxes.total,
    tax_lines: taxes.tax_lines,
    shipping,
    shipping_method: quote && { id: quote.id, name: quote.name },
    total,
  };
}

/** Σ price × qty, before any discount. */
export function subtotalOf(lines: readonly { price: Minor; qty: number }[]): Minor {
  let subtotal = 0;
  for (const line of lines) subtotal += line.price * line.qty;
  return subtotal;
}

/**
 * One item per product, in the order of first appearance, with the sum of its quantities. `index` is the product's first
 * position in the request, for error messages.
 */
export function canonicaliseItems(items: readonly RequestedItem[]): (RequestedItem & { index: number })[] {
  const merged = new Map<number, RequestedItem & { index: number }>();
  items.forEach(({ product_id, qty, price }, index) => {
    const known = merged.get(product_id);
    if (known) known.qty += qty;
    else merged.set(product_id, { index, product_id, qty, price });
  });
  return [...merged.values()];
}

function pricedLine(line: OrderLine): PricedLine {
  return {
    product_id: line.product_id,
    parent_id: line.parent_id,
    product_name: line.product_name,
    qty: line.qty,
    price: line.price,
    tax_class: line.tax_class,
    requires_shipping: line.requires_shipping,
    category_slugs: line.category_slugs,
    subtotal: line.price * line.qty,
    discount: 0,
    tax: 0,
  };
}

function leftOf(line: PricedLine): Minor {
  return line.subtotal - line.discount;
}

/** Adds the parts to the lines' discounts and returns their sum. */
function takeOff(lines: readonly PricedLine[], parts: readonly Minor[]): Minor {
  let sum = 0;
  for (let i = 0; i < lines.length; i++) {
    lines[i]!.discount += parts[i]!;
    sum += parts[i]!;
  }
  return sum;
}

/** Points pay at most what is left to pay; points that are not needed are not redeemed. */
function redeem(request: PricingInput['redeem'], left: Minor, exponent: number): { points: number; value: Minor } {
  const worth = request === null ? 0 : pointsValue(request.points, request.point_value, exponent);
  const value = Math.min(worth, left);
  if (request === null || value === 0) return { points: 0, value: 0 };
  return { points: worth <= left ? request.points : pointsWorth(left, request.point_value, exponent), value };
}

/** Returns null if no line requires shipping; a requested method must exist nevertheless. */
function quoteShipping({ lines, shipping, address }: PricingInput, subtotalAfterDiscount: Minor): ShippingQuote | null {
  if (!lines.some((line) => line.requires_shipping)) {
    const { methods, method_id } = shipping;
    if (method_id === null || methods.some(({ id, active }) => active && id === method_id)) return null;
    throw new AppError('shipping_unavailable', 'Unknown shipping method', { shipping_method_id: method_id });
  }
  const quote = chooseMethod(shipping.zones, shipping.methods, address, subtotalAfterDiscount, shipping.method_id);
  if (quote) return quote;
  throw shipping.method_id === null
    ? new AppError('shipping_unavailable', 'No shipping method serves this address')
    : new AppError('shipping_unavailable', 'This shipping method does not serve this address and order value', {
        shipping_method_id: shipping.method_id,
      });
}

function assertInRange(amount: Minor): void {
  if (!Number.isSafeInteger(amount)) throw invalidField('items', 'The order is too large', 'out_of_range');
}
