import { AppError } from '../../errors.ts';
import type { Minor } from '../money.ts';
import { checkPoints, orderLine, usablePromo } from '../orders/placing/check.ts';
import { type PricedOrder, type PricingInput, priceOrder, subtotalOf } from '../orders/placing/pricing.ts';
import type { OrderRequest } from '../orders/placing/request.ts';
import type { BatchState, StockedProduct } from '../orders/placing/snapshot.ts';
import { eligibleMethods, type ShippingQuote } from '../shipping/match.ts';
import type { Shop } from '../shop.ts';
import { goesByState } from '../states.ts';
import { type Cart, PROBLEMS } from './contract.ts';
import type { CartRow } from './row.ts';

type Problem = Cart['problems'][number];

/** A cart as an order of it would be priced now, in minor units. */
export interface CartTotals {
  priced: PricedOrder;
  /** By product; lines that are not sold are absent. */
  lines: ReadonlyMap<number, { price: Minor; subtotal: Minor; discount: Minor; tax: Minor }>;
  /** All that are offered for the address and value. */
  methods: ShippingQuote[];
  estimated: boolean;
  problems: Problem[];
}

/** Whether nobody can buy the product: it is unknown, archived, or has variants, of which one must be chosen. */
export function isSold(product: StockedProduct | undefined): product is StockedProduct {
  return product !== undefined && !product.archived && product.variants === null;
}

/**
 * Prices a cart by the calculation that prices orders. What would prevent the order is a problem instead of an error: the amounts leave out
 * lines that are not sold, a code that cannot be used, points that cannot be redeemed, and shipping where no method fits; all lines if
 * their sum passes 2^53. Pure.
 */
export function totalsOf(shop: Shop, batch: BatchState, cart: CartRow, request: OrderRequest): CartTotals {
  const problems: Problem[] = [];
  const products = batch.snapshot.products;
  const sold = cart.lines.filter((line) => {
    const product = products.get(line.product_id);
    if (!isSold(product)) {
      problems.push({ code: 'not_sold', line_id: line.id });
      return false;
    }
    if (product.track_stock && batch.levels.available(product.id, cart.location_id) < line.qty) {
      problems.push({ code: 'out_of_stock', line_id: line.id });
    }
    if (line.price_override === null && product.price !== line.added_price) {
      problems.push({ code: 'price_changed', line_id: line.id });
    }
    return true;
  });
  const lines = sold.map((line) => {
    return orderLine(products.get(line.product_id)!, {
      product_id: line.product_id,
      qty: line.qty,
      price: line.price_override ?? undefined,
    });
  });
  const promo = orProblem(problems, () => usablePromo(batch, request, lines)) ?? null;
  const points = orProblem(problems, () => {
    checkPoints(shop, batch, request);
    return request.redeemPoints;
  });
  const country = cart.shipping_country ?? shop.country;
  const address = { country, state: cart.shipping_state || null, zip: cart.shipping_zip };
  const input: PricingInput = {
    lines,
    promo,
    redeem: points === undefined || points === 0 ? null : { points, point_value: shop.loyalty.point_value },
    address,
    tax: shop.tax,
    shipping: { zones: shop.zones, methods: shop.methods, method_id: cart.shipping_method_id },
    exponent: shop.exponent,
  };
  const priced = pricedOf(input, problems);
  const methods = lines.some((line) => line.requires_shipping)
    ? eligibleMethods(shop.zones, shop.methods, address, subtotalOf(lines) - priced.discount)
    : [];
  return {
    priced,
    lines: new Map(priced.lines.map((line) => [line.product_id, line])),
    methods,
    estimated: isIncomplete(cart) || (cart.shipping_state === '' && goesByState(shop, country)),
    problems,
  };
}

function pricedOf(input: PricingInput, problems: Problem[]): PricedOrder {
  try {
    return orProblem(problems, () => priceOrder(input)) ?? priceOrder(withoutShipping(input));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    problems.push({ code: 'too_large', line_id: null });
    return priceOrder({ ...input, lines: [], promo: null, redeem: null });
  }
}

/** Without a country the store's counts, as in an order. */
function isIncomplete({ shipping_address, shipping_city, shipping_zip }: CartRow): boolean {
  return [shipping_address, shipping_city, shipping_zip].includes('');
}

/** Runs a check of orders; a reason of `PROBLEMS` that it throws becomes a problem of the cart. */
function orProblem<T>(problems: Problem[], check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    const code = error instanceof AppError ? PROBLEMS.find((one) => one === error.code) : undefined;
    if (code === undefined) throw error;
    problems.push({ code, line_id: null });
    return undefined;
  }
}

function withoutShipping(input: PricingInput): PricingInput {
  const lines = input.lines.map((line) => ({ ...line, requires_shipping: false }));
  return { ...input, lines, shipping: { ...input.shipping, method_id: null } };
}
