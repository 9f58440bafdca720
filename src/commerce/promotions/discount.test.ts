import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkPromo, discountOf, type Promo, type PromoBenefit, type PromoLine, type PromoUse } from './discount.ts';

const now = new Date('2026-03-01T12:00:00Z');

type Terms = Partial<Omit<Promo, keyof PromoBenefit>>;
function promo(benefit: PromoBenefit, terms: Terms = {}): Promo {
  return {
    scope: 'order',
    product_ids: [],
    category_slugs: [],
    covered_ids: [],
    min_subtotal: null,
    max_discount: null,
    starts_at: null,
    ends_at: null,
    usage_limit: null,
    per_customer_limit: null,
    first_order_only: false,
    active: true,
    used_count: 0,
    ...terms,
    ...benefit,
  };
}

const line = (product_id: number, price: number, qty: number, ...category_slugs: string[]): PromoLine => ({
  product_id,
  parent_id: null,
  price,
  qty,
  requires_shipping: true,
  category_slugs,
});
const tea = line(1, 1000, 2, 'tea');
const cup = line(2, 1500, 1, 'cups');
const spoon = line(3, 333, 1, 'cups', 'metal');
const basket = [tea, cup, spoon];

describe('discountOf', () => {
  const tenPercent: PromoBenefit = { type: 'percent', value: 10_000_000 };
  test.each<[string, Promo, number[]]>([
    ['percent of everything, half up, by largest remainder', promo(tenPercent), [200, 150, 33]],
    ['percent with decimals', promo({ type: 'percent', value: 12_500_000 }), [250, 187, 42]],
    ['percent of some products', promo(tenPercent, { scope: 'products', product_ids: [2, 9] }), [0, 150, 0]],
    ['percent of a category', promo(tenPercent, { scope: 'categories', category_slugs: ['cups'] }), [0, 150, 33]],
    ['percent with a limit', promo(tenPercent, { max_discount: 100 }), [52, 39, 9]],
    ['a fixed amount', promo({ type: 'fixed', value: 500 }), [261, 196, 43]],
    ['a fixed amount above what there is', promo({ type: 'fixed', value: 99_999 }), [2000, 1500, 333]],
    ['free shipping', promo({ type: 'free_shipping' }), [0, 0, 0]],
    ['nothing eligible', promo(tenPercent, { scope: 'products', product_ids: [9] }), [0, 0, 0]],
  ])('%s', (_, code, parts) => {
    expect(discountOf(code, basket)).toEqual(parts);
  });

  describe('buy some, get some', () => {
    const off = (buy: number, get: number, lines: PromoLine[], percent_off?: number) => {
      const value = percent_off === undefined ? { buy, get } : { buy, get, percent_off };
      return discountOf(promo({ type: 'buy_x_get_y', value }), lines).reduce((a, b) => a + b, 0);
    };
    test.each([
      ['the cheapest of three is free', off(2, 1, [tea, spoon]), 333],
      ['four are one round and a started one', off(2, 1, [line(1, 1000, 4)]), 1000],
      ['six are two rounds', off(2, 1, [line(1, 1000, 6)]), 2000],
      ['a started round gives what it can', off(2, 2, [line(1, 1000, 3)]), 1000],
      ['too few give nothing', off(2, 1, [line(1, 1000, 2)]), 0],
      [
        'the free units may be of several products',
        off(1, 1, [line(1, 1000, 2), line(2, 700, 1), line(3, 300, 1)]),
        1000,
      ],
      ['half price', off(1, 1, [line(1, 999, 2)], 50_000_000), 500],
    ])('%s', (_, taken, expected) => {
      expect(taken).toBe(expected);
    });
  });
});

describe('checkPromo', () => {
  const use: PromoUse = { now, subtotal: 3833, lines: basket, hasOrdered: false, customerUses: 0 };
  const fixed: PromoBenefit = { type: 'fixed', value: 500 };

  /** Each fails for its own reason; combined, the first reason is returned. */
  const failures: [string, Terms, Partial<PromoUse>][] = [
    ['promo_inactive', { active: false }, {}],
    ['promo_not_started', { starts_at: new Date(now.getTime() + 1) }, {}],
    ['promo_expired', { ends_at: now }, {}],
    ['promo_usage_limit', { usage_limit: 5, used_count: 5 }, {}],
    ['promo_customer_limit', { per_customer_limit: 1 }, { customerUses: 1 }],
    ['promo_min_subtotal', { min_subtotal: 3834 }, {}],
    ['promo_not_applicable', { first_order_only: true }, { hasOrdered: true }],
  ];

  test.each(failures)('%s', (reason, terms, circumstances) => {
    expect(checkPromo(promo(fixed, terms), { ...use, ...circumstances })).toBe(reason);
  });

  test.each(failures.map(([reason], i) => [reason, i] as const))('%s is told before all later reasons', (reason, i) => {
    const later = failures.slice(i);
    const terms = Object.assign({}, ...later.map(([, each]) => each));
    const circumstances = Object.assign({}, ...later.map(([, , each]) => each));
    expect(checkPromo(promo(fixed, terms), { ...use, ...circumstances })).toBe(reason);
  });

  test('usable at each of its limits', () => {
    const dates = { starts_at: now, ends_at: new Date(now.getTime() + 1) };
    const limits = { usage_limit: 5, used_count: 4, per_customer_limit: 2, min_subtotal: 3833, first_order_only: true };
    expect(checkPromo(promo(fixed, { ...dates, ...limits }), { ...use, customerUses: 1 })).toBeNull();
  });

  test('a code that would take nothing off is not applicable', () => {
    const elsewhere: Terms = { scope: 'products', product_ids: [9] };
    expect(checkPromo(promo(fixed, elsewhere), use)).toBe('promo_not_applicable');
    expect(checkPromo(promo({ type: 'free_shipping' }, elsewhere), use)).toBe('promo_not_applicable');
    expect(checkPromo(promo({ type: 'buy_x_get_y', value: { buy: 4, get: 1 } }), use)).toBe('promo_not_applicable');
    expect(checkPromo(promo({ type: 'free_shipping' }), use)).toBeNull();
  });

  test('free shipping is not applicable to an order that ships nothing', () => {
    const download = Object.assign(line(9, 1000, 1), { requires_shipping: false });
    const code = promo({ type: 'free_shipping' }, { scope: 'products', product_ids: [9] });
    expect(checkPromo(code, { ...use, lines: [download] })).toBe('promo_not_applicable');
    expect(checkPromo(code, { ...use, lines: [download, tea] })).toBeNull();
  });
});

const benefits: fc.Arbitrary<PromoBenefit> = fc.oneof(
  fc.record({ type: fc.constant('percent' as const), value: fc.nat(100_000_000) }),
  fc.record({ type: fc.constant('fixed' as const), value: fc.nat(1e7) }),
  fc.record({
    type: fc.constant('buy_x_get_y' as const),
    value: fc.record({ buy: fc.integer({ min: 1, max: 5 }), get: fc.integer({ min: 1, max: 5 }) }),
  }),
);
const lines = fc.array(
  fc.record({
    product_id: fc.nat(5),
    parent_id: fc.option(fc.nat(5)),
    price: fc.oneof(fc.nat(10), fc.nat(1e9)),
    qty: fc.integer({ min: 1, max: 9999 }),
    requires_shipping: fc.boolean(),
    category_slugs: fc.subarray(['tea', 'cups']),
  }),
  { minLength: 1, maxLength: 20 },
);
const terms = fc.record({
  scope: fc.constantFrom('order' as const, 'products' as const, 'categories' as const),
  product_ids: fc.subarray([0, 1, 2]),
  category_slugs: fc.subarray(['tea', 'cups']),
  max_discount: fc.option(fc.nat(1e6)),
});

test('a discount is an integer, within each line and its limit, and only on products that the code covers', () => {
  fc.assert(
    fc.property(benefits, terms, lines, (benefit, some, basketLines) => {
      const parts = discountOf(promo(benefit, some), basketLines);
      expect(parts.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(some.max_discount ?? Number.MAX_SAFE_INTEGER);
      parts.forEach((part, i) => {
        const { price, qty, product_id, parent_id, category_slugs } = basketLines[i]!;
        expect(Number.isSafeInteger(part) && part >= 0 && part <= price * qty).toBe(true);
        const isNamed = some.product_ids.some((id) => id === product_id || id === parent_id);
        if (some.scope === 'products' && !isNamed) expect(part).toBe(0);
        if (some.scope === 'categories' && !category_slugs.some((slug) => some.category_slugs.includes(slug)))
          expect(part).toBe(0);
      });
    }),
    { numRuns: 500 },
  );
});
