import type { ErrorCode } from '../../errors.ts';
import { allocate } from '../allocation.ts';
import { MICROS, type Micros, type Minor, mulDivHalfUp } from '../money.ts';

export interface PromoTerms {
  /** Eligible lines: all, those of `product_ids`, those in one of `category_slugs`, or those of `covered_ids`. */
  scope: 'order' | 'products' | 'categories' | 'collections';
  product_ids: readonly number[];
  category_slugs: readonly string[];
  /** Of scope `collections`: those of the order's products, and variants of products, that are in its collections now. */
  covered_ids: readonly number[];
  /** The whole order's subtotal before discounts must reach this. */
  min_subtotal: Minor | null;
  /** The largest discount on one order. */
  max_discount: Minor | null;
  /** Usable from `starts_at` on and before `ends_at`. */
  starts_at: Date | null;
  ends_at: Date | null;
  usage_limit: number | null;
  per_customer_limit: number | null;
  first_order_only: boolean;
  active: boolean;
  used_count: number;
}

/** Percentages are 0–100 in micros: 12.5 % = 12_500_000. */
export type PromoBenefit =
  | { type: 'percent'; value: Micros }
  | { type: 'fixed'; value: Minor }
  | { type: 'free_shipping' }
  /**
   * For every `buy` units bought, the next `get` are reduced by `percent_off` (free if absent), whichever eligible products they are. The
   * cheapest units are reduced, so that the customer pays for the most expensive ones.
   */
  | { type: 'buy_x_get_y'; value: { buy: number; get: number; percent_off?: Micros } };

export type Promo = PromoTerms & PromoBenefit;

export interface PromoLine {
  product_id: number;
  /** Of a variant: codes for the parent apply to it. */
  parent_id: number | null;
  qty: number;
  /** Price of one unit. */
  price: Minor;
  requires_shipping: boolean;
  category_slugs: readonly string[];
}

export interface PromoUse {
  now: Date;
  /** Σ price × qty of `lines`. */
  subtotal: Minor;
  lines: readonly PromoLine[];
  /** Whether this customer has an order, and in how many this code was used; cancelled ones do not count. */
  hasOrdered: boolean;
  customerUses: number;
}

const ALL_OFF = 100 * MICROS;

/**
 * Returns null if the promo can be used, otherwise the first reason in this order why not: inactive, not started, expired, used up, used up
 * by this customer, subtotal too low, not applicable (not the first order, or nothing in this order would become cheaper: a use is never
 * spent on nothing).
 */
export function checkPromo(promo: Promo, use: PromoUse): ErrorCode | null {
  const { now } = use;
  if (!promo.active) return 'promo_inactive';
  if (promo.starts_at !== null && now < promo.starts_at) return 'promo_not_started';
  if (promo.ends_at !== null && now >= promo.ends_at) return 'promo_expired';
  if (promo.usage_limit !== null && promo.used_count >= promo.usage_limit) return 'promo_usage_limit';
  if (promo.per_customer_limit !== null && use.customerUses >= promo.per_customer_limit) return 'promo_customer_limit';
  if (promo.min_subtotal !== null && use.subtotal < promo.min_subtotal) return 'promo_min_subtotal';
  if (promo.first_order_only && use.hasOrdered) return 'promo_not_applicable';
  return isUseful(promo, use.lines) ? null : 'promo_not_applicable';
}

/**
 * Returns the discount on each line, in the order of `lines`: the promo's whole discount, spread over the eligible lines in proportion to
 * their subtotals. Never more than a line's subtotal. Does not check whether the promo may be used.
 */
export function discountOf(promo: Promo, lines: readonly PromoLine[]): Minor[] {
  const subtotals = lines.map((line) => (isEligible(promo, line) ? line.price * line.qty : 0));
  let eligible = 0;
  for (const subtotal of subtotals) eligible += subtotal;
  const limit = Math.min(eligible, promo.max_discount ?? eligible);
  return allocate(Math.min(uncapped(promo, lines, eligible), limit), subtotals);
}

function isUseful(promo: Promo, lines: readonly PromoLine[]): boolean {
  if (promo.type === 'free_shipping')
    return lines.some((line) => line.requires_shipping) && lines.some((line) => isEligible(promo, line));
  return discountOf(promo, lines).some((part) => part > 0);
}

function isEligible(promo: Promo, line: PromoLine): boolean {
  switch (promo.scope) {
    case 'order':
      return true;
    case 'products':
      return promo.product_ids.some((id) => id === line.product_id || id === line.parent_id);
    case 'categories':
      return line.category_slugs.some((slug) => promo.category_slugs.includes(slug));
    case 'collections':
      return promo.covered_ids.includes(line.product_id);
  }
}

/** Returns the discount before any limit; `eligible` is the subtotal of the eligible lines. */
function uncapped(promo: Promo, lines: readonly PromoLine[], eligible: Minor): Minor {
  switch (promo.type) {
    case 'percent':
      return mulDivHalfUp(eligible, promo.value, ALL_OFF);
    case 'fixed':
      return promo.value;
    case 'free_shipping':
      return 0;
    case 'buy_x_get_y': {
      const cheapestFirst = lines.filter((line) => isEligible(promo, line)).sort((a, b) => a.price - b.price);
      const { buy, get, percent_off = ALL_OFF } = promo.value;
      return mulDivHalfUp(priceOfCheapest(cheapestFirst, buy, get), percent_off, ALL_OFF);
    }
  }
}

/** Returns what the reduced units cost. After the full rounds of buy + get, a started round reduces what exceeds `buy`. */
function priceOfCheapest(cheapestFirst: readonly PromoLine[], buy: number, get: number): Minor {
  let units = 0;
  for (const line of cheapestFirst) units += line.qty;
  const started = units % (buy + get);
  let reduced = ((units - started) / (buy + get)) * get + Math.max(0, started - buy);
  let price = 0;
  for (const line of cheapestFirst) {
    const taken = Math.min(reduced, line.qty);
    price += taken * line.price;
    reduced -= taken;
  }
  return price;
}
