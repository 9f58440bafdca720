import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Promo, PromoBenefit } from '../../promotions/discount.ts';
import type { ShippingMethod } from '../../shipping/match.ts';
import type { TaxRule } from '../../taxes/match.ts';
import { canonicaliseItems, type OrderLine, type PricedOrder, type PricingInput, priceOrder } from './pricing.ts';

function line(product_id: number, price: number, qty: number, fields: Partial<OrderLine> = {}): OrderLine {
  return {
    product_id,
    parent_id: null,
    product_name: `Product ${product_id}`,
    qty,
    price,
    tax_class: null,
    requires_shipping: true,
    category_slugs: [],
    ...fields,
  };
}

function promo(benefit: PromoBenefit, max_discount: number | null = null): Promo {
  return {
    scope: 'order',
    product_ids: [],
    category_slugs: [],
    covered_ids: [],
    min_subtotal: null,
    max_discount,
    starts_at: null,
    ends_at: null,
    usage_limit: null,
    per_customer_limit: null,
    first_order_only: false,
    active: true,
    used_count: 0,
    ...benefit,
  };
}

function taxRule(fields: Partial<TaxRule>): TaxRule {
  return {
    id: 1,
    country: 'US',
    state: null,
    zip_from: null,
    zip_to: null,
    rate: 82_500,
    name: 'Sales tax',
    priority: 1,
    compound: false,
    applies_to_shipping: false,
    tax_class: null,
    ...fields,
  };
}

const place = { country: 'US', state: 'NY', zip: '10001' };
const everywhere = { id: 1, position: 1, countries: [], states: [], zip_patterns: [] };
const method = (id: number, fields: Partial<ShippingMethod>): ShippingMethod =>
  ({ id, zone_id: 1, position: id, name: `Method ${id}`, active: true, ...fields }) as ShippingMethod;
const flat = method(1, { type: 'flat', config: { cost: 595 } });
const freeOver50 = method(2, { type: 'free_over', config: { cost: 495, free_over: 5000 } });

interface Circumstances {
  promo?: Promo;
  redeem?: PricingInput['redeem'];
  rules?: TaxRule[];
  contained?: boolean;
  rounding?: 'line' | 'order';
  methods?: ShippingMethod[];
  method_id?: number;
  exponent?: number;
}

function price(lines: OrderLine[], how: Circumstances = {}): PricedOrder {
  return priceOrder({
    lines,
    promo: how.promo ?? null,
    redeem: how.redeem ?? null,
    address: place,
    exponent: how.exponent ?? 2,
    tax: { rules: how.rules ?? [], rounding: how.rounding ?? 'line', prices_include_tax: how.contained ?? false },
    shipping: { zones: [everywhere], methods: how.methods ?? [flat], method_id: how.method_id ?? null },
  });
}

describe('an order by hand', () => {
  test('is shipped if any line is; otherwise shipping costs nothing, wherever it goes', () => {
    const download = line(1, 1999, 1, { requires_shipping: false });
    expect(price([download], { methods: [] })).toMatchObject({ shipping: 0, shipping_method: null, total: 1999 });
    expect(price([download, line(2, 501, 1)])).toMatchObject({ shipping: 595, shipping_method: { id: 1 } });
  });

  test('that is not shipped may name a method of the shop, and no other', () => {
    const download = [line(1, 1999, 1, { requires_shipping: false })];
    expect(price(download, { method_id: 1 })).toMatchObject({ shipping: 0, shipping_method: null });
    const unavailable = expect.objectContaining({ code: 'shipping_unavailable' });
    expect(() => price(download, { method_id: 9 })).toThrow(unavailable);
    const closed = [method(3, { type: 'flat', config: { cost: 595 }, active: false })];
    expect(() => price(download, { methods: closed, method_id: 3 })).toThrow(unavailable);
  });

  test('with nothing but products', () => {
    const order = price([line(1, 1999, 2), line(2, 501, 1)], {
      methods: [method(1, { type: 'flat', config: { cost: 0 } })],
    });
    expect(order).toMatchObject({
      subtotal: 4499,
      discount: 0,
      tax: 0,
      shipping: 0,
      total: 4499,
      points_redeemed: 0,
      tax_lines: [],
      lines: [
        { product_id: 1, product_name: 'Product 1', qty: 2, price: 1999, subtotal: 3998, discount: 0, tax: 0 },
        { product_id: 2, product_name: 'Product 2', qty: 1, price: 501, subtotal: 501, discount: 0, tax: 0 },
      ],
      shipping_method: { id: 1, name: 'Method 1' },
    });
  });

  test('with a promo, points, a tax and shipping', () => {
    // 40.00 + 10.00; 10 % off: 4.00 + 1.00; 500 points: 4.00 + 1.00 of the 36.00 + 9.00 left; tax of 32.00 and 8.00
    const order = price([line(1, 2000, 2), line(2, 1000, 1)], {
      promo: promo({ type: 'percent', value: 10_000_000 }),
      redeem: { points: 500, point_value: 10_000 },
      rules: [taxRule({ rate: 88_750 })],
    });
    expect(order).toMatchObject({
      subtotal: 5000,
      promo_discount: 500,
      points_discount: 500,
      discount: 1000,
      points_redeemed: 500,
      tax: 355,
      shipping: 595,
      total: 4950,
      tax_lines: [{ name: 'Sales tax', rate: 88_750, amount: 355 }],
      lines: [
        { subtotal: 4000, discount: 800, tax: 284 },
        { subtotal: 1000, discount: 200, tax: 71 },
      ],
    });
  });

  test('with a code for free shipping', () => {
    const order = price([line(1, 1000, 1)], {
      promo: promo({ type: 'free_shipping' }),
      rules: [taxRule({ rate: 100_000, applies_to_shipping: true })],
    });
    expect(order).toMatchObject({ subtotal: 1000, discount: 0, shipping: 0, tax: 100, total: 1100 });
  });

  test('shipping brackets use the amount after discounts', () => {
    const halfOff = promo({ type: 'percent', value: 50_000_000 });
    expect(price([line(1, 5000, 1)], { methods: [freeOver50] }).shipping).toBe(0);
    expect(price([line(1, 5000, 1)], { methods: [freeOver50], promo: halfOff }).shipping).toBe(495);
    expect(
      price([line(1, 5000, 1)], { methods: [freeOver50], redeem: { points: 1, point_value: 10_000 } }).shipping,
    ).toBe(495);
  });

  test('in a currency without minor units', () => {
    const order = price([line(1, 1234, 1)], {
      exponent: 0,
      redeem: { points: 150, point_value: 1_500_000 },
      rules: [taxRule({ rate: 100_000 })],
    });
    expect(order).toMatchObject({ subtotal: 1234, discount: 225, tax: 101, total: 1234 - 225 + 101 + 595 });
  });
});

describe('prices that include tax', () => {
  const vat = taxRule({ name: 'VAT', rate: 190_000, applies_to_shipping: true });

  test('the customer pays the shown price, and the tax is contained in subtotal and shipping', () => {
    expect(price([line(1, 1190, 2)], { rules: [vat], contained: true })).toMatchObject({
      subtotal: 2000,
      discount: 0,
      tax: 475,
      shipping: 500,
      total: 2380 + 595,
      lines: [{ price: 1190, qty: 2, subtotal: 2000, tax: 380 }],
      tax_lines: [{ name: 'VAT', amount: 475 }],
    });
  });

  test('a discount stays as shown; the tax is calculated on the rest', () => {
    const fiveOff = promo({ type: 'fixed', value: 500 });
    expect(price([line(1, 1690, 1)], { rules: [vat], contained: true, promo: fiveOff })).toMatchObject({
      subtotal: 1500,
      discount: 500,
      tax: 285,
      shipping: 500,
      total: 1190 + 595,
      lines: [{ subtotal: 1500, discount: 500, tax: 190 }],
    });
  });
});

describe('points', () => {
  test('pay no more than is left, and no more of them are taken', () => {
    const redeem = { points: 5000, point_value: 10_000 };
    expect(price([line(1, 1200, 1)], { redeem })).toMatchObject({ discount: 1200, points_redeemed: 1200, total: 595 });
    const allOff = promo({ type: 'percent', value: 100_000_000 });
    expect(price([line(1, 1200, 1)], { redeem, promo: allOff })).toMatchObject({ discount: 1200, points_redeemed: 0 });
  });

  test('that are worth nothing are not taken', () => {
    expect(price([line(1, 1200, 1)], { redeem: { points: 100, point_value: 0 } })).toMatchObject({
      points_redeemed: 0,
    });
  });
});

describe('refused', () => {
  test('where no method ships, or not the one asked for', () => {
    expect(() => price([line(1, 100, 1)], { methods: [] })).toThrow(
      expect.objectContaining({ code: 'shipping_unavailable' }),
    );
    expect(() => price([line(1, 100, 1)], { method_id: 9 })).toThrow(
      expect.objectContaining({ code: 'shipping_unavailable', details: { shipping_method_id: 9 } }),
    );
  });

  test('where an amount would pass 2^53, before or after tax', () => {
    const tooLarge = expect.objectContaining({ code: 'validation_failed' });
    const dear = Array.from({ length: 200 }, (_, i) => line(i, 9_999_999_990, 9999));
    expect(() => price(dear, { exponent: 3 })).toThrow(tooLarge);
    const taxed = { rules: [taxRule({ rate: 10_000_000 })] };
    expect(() => price(dear.slice(0, 89), taxed)).toThrow(tooLarge);
    const allOff = promo({ type: 'percent', value: 100_000_000 });
    expect(() => price(dear, { promo: allOff })).toThrow(tooLarge);
    expect(price(dear.slice(0, 89)).total).toBe(89 * 9_999_999_990 * 9999 + 595);
  });
});

test('the same product twice is one item, where it first stood', () => {
  const items = [
    { product_id: 7, qty: 1 },
    { product_id: 3, qty: 2 },
    { product_id: 7, qty: 4 },
  ];
  expect(canonicaliseItems(items)).toEqual([
    { index: 0, product_id: 7, qty: 5 },
    { index: 1, product_id: 3, qty: 2 },
  ]);
  expect(items[0]).toEqual({ product_id: 7, qty: 1 });
});

test('merging items is idempotent, keeps every unit and leaves no product twice', () => {
  const items = fc.array(fc.record({ product_id: fc.nat(8), qty: fc.integer({ min: 1, max: 9999 }) }), {
    maxLength: 30,
  });
  const plain = (list: { product_id: number; qty: number }[]) =>
    list.map(({ product_id, qty }) => ({ product_id, qty }));
  const units = (list: { qty: number }[]) => list.reduce((sum, { qty }) => sum + qty, 0);
  fc.assert(
    fc.property(items, (given) => {
      const merged = canonicaliseItems(given);
      expect(plain(canonicaliseItems(merged))).toEqual(plain(merged));
      expect(units(merged)).toBe(units(given));
      expect(new Set(merged.map(({ product_id }) => product_id)).size).toBe(merged.length);
    }),
  );
});

const classes = fc.constantFrom(null, 'books', 'food');
const lines = fc
  .array(
    fc.record({
      price: fc.oneof(fc.nat(20), fc.nat(20_000), fc.nat(999_999_999)),
      qty: fc.integer({ min: 1, max: 9999 }),
      tax_class: classes,
      category_slugs: fc.subarray(['tea', 'cups']),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((list) => list.map((fields, i) => line(i, fields.price, fields.qty, fields)));
const rules = fc
  .array(
    fc.record({
      rate: fc.nat(400_000),
      priority: fc.nat(2),
      compound: fc.boolean(),
      applies_to_shipping: fc.boolean(),
      tax_class: classes,
      name: fc.constantFrom('State', 'City'),
      state: fc.constantFrom(null, 'NY', 'TX'),
    }),
    { maxLength: 8 },
  )
  .map((list) => list.map((fields, id) => taxRule({ id, ...fields })));
const promos = fc
  .tuple(
    fc.oneof<fc.Arbitrary<PromoBenefit>[]>(
      fc.record({ type: fc.constant('percent' as const), value: fc.nat(100_000_000) }),
      fc.record({ type: fc.constant('fixed' as const), value: fc.nat(1e6) }),
      fc.constant({ type: 'free_shipping' as const }),
      fc.constant({ type: 'buy_x_get_y' as const, value: { buy: 2, get: 1 } }),
    ),
    fc.constantFrom('order' as const, 'categories' as const),
  )
  .map(([benefit, scope]): Promo => ({ ...promo(benefit), scope, category_slugs: ['tea'] }));
const orders = fc
  .record({
    lines,
    rules,
    promo: fc.option(promos, { nil: undefined }),
    contained: fc.boolean(),
    rounding: fc.constantFrom('line' as const, 'order' as const),
    redeem: fc.option(fc.record({ points: fc.integer({ min: 1, max: 1e6 }), point_value: fc.nat(100_000) })),
  })
  .map(({ lines: list, ...how }) => ({ list, how }));

describe('every order', () => {
  test('adds up, as a whole and by line, in whole amounts that are never negative', () => {
    fc.assert(
      fc.property(orders, ({ list, how }) => {
        const order = price(list, how);
        const sum = (pick: 'subtotal' | 'discount' | 'tax') =>
          order.lines.reduce((total, each) => total + each[pick], 0);
        expect(order.total).toBe(order.subtotal - order.discount + order.tax + order.shipping);
        expect(order.subtotal).toBe(sum('subtotal'));
        expect(order.discount).toBe(sum('discount'));
        expect(order.discount).toBe(order.promo_discount + order.points_discount);
        expect(order.tax).toBe(order.tax_lines.reduce((total, { amount }) => total + amount, 0));
        expect(order.tax).toBeGreaterThanOrEqual(sum('tax'));
        for (const each of [order, ...order.lines]) {
          expect([each.subtotal, each.discount, each.tax].every((n) => Number.isSafeInteger(n) && n >= 0)).toBe(true);
          expect(each.discount).toBeLessThanOrEqual(each.subtotal);
        }
        expect(order.shipping).toBeGreaterThanOrEqual(0);
        expect(order.points_redeemed).toBeLessThanOrEqual(how.redeem?.points ?? 0);
      }),
      { numRuns: 500 },
    );
  });

  test('costs the shown prices less discounts when prices include tax, at any rate', () => {
    fc.assert(
      fc.property(orders, ({ list, how }) => {
        const untaxed = price(list, { ...how, rules: [] });
        expect(price(list, { ...how, contained: true }).total).toBe(untaxed.total);
      }),
    );
  });

  test('has a line subtotal of price × qty, unless prices include tax', () => {
    fc.assert(
      fc.property(orders, ({ list, how }) => {
        for (const each of price(list, { ...how, contained: false }).lines)
          expect(each.subtotal).toBe(each.price * each.qty);
      }),
    );
  });

  test('never becomes dearer by a promo or points', () => {
    fc.assert(
      fc.property(orders, ({ list, how }) => {
        const full = price(list, { ...how, promo: undefined, redeem: null });
        expect(price(list, how).total).toBeLessThanOrEqual(full.total);
      }),
    );
  });
});
