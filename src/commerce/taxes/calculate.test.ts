import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calculateTaxes, type TaxedLine, type TaxSettings } from './calculate.ts';
import type { TaxRule } from './match.ts';

function rule(fields: Partial<TaxRule>): TaxRule {
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

const address = { country: 'US', state: 'NY', zip: '10001' };
const line = (subtotal: number, discount = 0, tax_class: string | null = null): TaxedLine => ({
  subtotal,
  discount,
  tax_class,
});

function tax(rules: TaxRule[], lines: TaxedLine[], shipping = 0, settings: Partial<TaxSettings> = {}) {
  return calculateTaxes(lines, shipping, address, { rules, rounding: 'line', prices_include_tax: false, ...settings });
}

const gst = rule({ name: 'GST', rate: 50_000 });
const qst = rule({ id: 2, name: 'QST', rate: 99_750, priority: 2, compound: true, applies_to_shipping: true });

describe('tax added to the prices', () => {
  test('is taken of each line after its discount, halves up', () => {
    expect(tax([rule({ rate: 100_000 })], [line(1999), line(1005, 500), line(4)])).toEqual({
      lines: [200, 51, 0],
      shipping: 0,
      total: 251,
      tax_lines: [{ name: 'Sales tax', rate: 100_000, amount: 251 }],
    });
  });

  test('is rounded once in the order where the shop says so, and shared out to the lines', () => {
    const lines = [line(105), line(105), line(105)];
    expect(tax([rule({ rate: 100_000 })], lines)).toMatchObject({ lines: [11, 11, 11], total: 33 });
    expect(tax([rule({ rate: 100_000 })], lines, 0, { rounding: 'order' })).toMatchObject({
      lines: [11, 11, 10],
      total: 32,
    });
  });

  test('a compound tax is also taken of the taxes before it, on shipping only where its rule says so', () => {
    expect(tax([gst, qst], [line(10_000)], 1000)).toEqual({
      lines: [500 + 1047],
      shipping: 100,
      total: 1647,
      tax_lines: [
        { name: 'GST', rate: 50_000, amount: 500 },
        { name: 'QST', rate: 99_750, amount: 1047 + 100 },
      ],
    });
  });

  test('each class has its own rate, and rules of one name and rate make one tax line', () => {
    const rules = [
      rule({ name: 'VAT', rate: 190_000, applies_to_shipping: true }),
      rule({ id: 2, name: 'VAT', rate: 70_000, tax_class: 'books' }),
      rule({ id: 3, name: 'VAT', rate: 190_000, tax_class: 'toys' }),
      rule({ id: 4, name: 'VAT', rate: 0, tax_class: 'exempt' }),
    ];
    const lines = [line(1000), line(1000, 0, 'books'), line(1000, 0, 'toys'), line(1000, 0, 'exempt')];
    expect(tax(rules, lines, 500)).toEqual({
      lines: [190, 70, 190, 0],
      shipping: 95,
      total: 545,
      tax_lines: [
        { name: 'VAT', rate: 190_000, amount: 475 },
        { name: 'VAT', rate: 70_000, amount: 70 },
      ],
    });
  });

  test('no rule, no tax', () => {
    const none = { lines: [0], shipping: 0, total: 0, tax_lines: [] };
    expect(tax([], [line(1000)], 500)).toEqual(none);
    expect(tax([rule({ country: 'DE' })], [line(1000)], 500)).toEqual(none);
  });
});

describe('tax contained in the prices', () => {
  test('is contained in the price', () => {
    const rules = [rule({ name: 'VAT', rate: 190_000, applies_to_shipping: true })];
    expect(tax(rules, [line(1190), line(2380, 1190)], 595, { prices_include_tax: true })).toMatchObject({
      lines: [190, 190],
      shipping: 95,
      total: 475,
    });
  });

  test('of two taxes, one compound, equals the amount they would have added', () => {
    // 100.00 + 5.00 GST + 10.47 (exactly 10.47375) QST
    expect(tax([gst, qst], [line(11_547)], 0, { prices_include_tax: true })).toMatchObject({
      lines: [1547],
      tax_lines: [{ amount: 500 }, { amount: 1047 }],
    });
  });

  test('of several taxes together is rounded half up, and half a unit is up', () => {
    const two = [rule({ rate: 100_000 }), rule({ id: 2, name: 'City', rate: 150_000, priority: 2 })];
    const within = (gross: number) => tax(two, [line(gross)], 0, { prices_include_tax: true }).total;
    // A fifth of the gross amount: 0.4, 0.6, 1.4 and 1.6.
    expect([2, 3, 7, 8].map(within)).toEqual([0, 1, 1, 2]);
    const third = [rule({ rate: 300_000 }), rule({ id: 2, name: 'City', rate: 300_000, priority: 2 })];
    // Three eighths: 1.5 and 4.5.
    expect([4, 12].map((gross) => tax(third, [line(gross)], 0, { prices_include_tax: true }).total)).toEqual([2, 5]);
  });
});

describe('tax rounded once in the order', () => {
  test('is half up for all that the same rules tax, and each group of rules is rounded on its own', () => {
    const rules = [rule({ rate: 100_000 }), rule({ id: 2, name: 'Books', rate: 50_000, tax_class: 'books' })];
    const order = (...lines: TaxedLine[]) => tax(rules, lines, 0, { rounding: 'order' });
    expect(order(line(12), line(12)).total).toBe(2);
    expect(order(line(13), line(12))).toMatchObject({ total: 3, lines: [2, 1] });
    // 2.5 and 0.5, both up.
    expect(order(line(13), line(10, 0, 'books'), line(12))).toMatchObject({ total: 4, lines: [2, 1, 1] });
  });

  test('takes amounts together only where all of their rules are the same', () => {
    const city = rule({ id: 2, name: 'City', rate: 100_000, priority: 2 });
    const books = rule({ id: 3, name: 'Books', rate: 200_000, priority: 2, tax_class: 'books' });
    // 0.6 + 0.6 for one line, 0.6 + 1.2 for the other; together the first rule would take 1.2.
    const rules = [rule({ rate: 100_000 }), city, books];
    const taxes = tax(rules, [line(6), line(6, 0, 'books')], 0, { rounding: 'order' });
    expect(taxes).toMatchObject({ lines: [2, 2], total: 4 });
    expect(taxes.tax_lines).toEqual([
      { name: 'Sales tax', rate: 100_000, amount: 2 },
      { name: 'City', rate: 100_000, amount: 1 },
      { name: 'Books', rate: 200_000, amount: 1 },
    ]);
  });
});

const rates = fc.array(
  fc.record({ rate: fc.nat(600_000), compound: fc.boolean(), applies_to_shipping: fc.boolean() }),
  {
    maxLength: 4,
  },
);
const rules = rates.map((list) => list.map((fields, i) => rule({ ...fields, id: i, priority: i, name: `Tax ${i}` })));
const lines = fc.array(
  fc
    .tuple(fc.oneof(fc.nat(20), fc.nat(1e6), fc.nat(1e12)), fc.integer({ min: 0, max: 100 }))
    .map(([subtotal, percent]) => {
      return line(subtotal, Math.floor((subtotal * percent) / 100));
    }),
  { minLength: 1, maxLength: 20 },
);
const settings = fc.record({
  rounding: fc.constantFrom('line' as const, 'order' as const),
  prices_include_tax: fc.boolean(),
});

test('tax lines, lines and shipping add up to the same total, and a contained tax never exceeds the price', () => {
  fc.assert(
    fc.property(rules, lines, fc.nat(5000), settings, (someRules, someLines, shipping, how) => {
      const taxes = tax(someRules, someLines, shipping, how);
      expect(taxes.lines.reduce((a, b) => a + b, 0) + taxes.shipping).toBe(taxes.total);
      expect(taxes.tax_lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(taxes.total);
      const all = [...taxes.lines, taxes.shipping, ...taxes.tax_lines.map(({ amount }) => amount)];
      expect(all.every((amount) => Number.isSafeInteger(amount) && amount >= 0)).toBe(true);
      if (!how.prices_include_tax) return;
      expect(taxes.shipping).toBeLessThanOrEqual(shipping);
      taxes.lines.forEach((amount, i) => {
        expect(amount).toBeLessThanOrEqual(someLines[i]!.subtotal - someLines[i]!.discount);
      });
    }),
    { numRuns: 500 },
  );
});

test('a higher rate never brings less tax', () => {
  fc.assert(
    fc.property(
      rules,
      lines,
      fc.nat(5000),
      settings,
      fc.nat(4),
      fc.nat(50_000),
      (someRules, someLines, shipping, how, which, more) => {
        const higher = someRules.map((each, i) => (i === which ? { ...each, rate: each.rate + more } : each));
        expect(tax(higher, someLines, shipping, how).total).toBeGreaterThanOrEqual(
          tax(someRules, someLines, shipping, how).total,
        );
      },
    ),
    { numRuns: 500 },
  );
});

test('taking the tax out of a gross price is the inverse of adding it', () => {
  fc.assert(
    fc.property(
      rates.filter((list) => list.length > 0),
      fc.nat(1e9),
      (list, net) => {
        const some = list.map((fields, i) => rule({ ...fields, id: i, priority: i }));
        const added = tax(some, [line(net)]).total;
        const contained = tax(some, [line(net + added)], 0, { prices_include_tax: true }).total;
        // Each of up to four taxes is rounded on its own when added, and the next may compound that: under three units.
        expect(Math.abs(contained - added)).toBeLessThanOrEqual(3);
      },
    ),
  );
});
