import { expect, test } from 'vitest';
import {
  countOf,
  firstCombinations,
  formFieldOf,
  hasMore,
  isTooMany,
  optionsIn,
  optionsOf,
} from '../../../admin/src/pages/products/variants/options.ts';

const typed = (...options: [string, string][]): string =>
  JSON.stringify(options.map(([name, values]) => ({ name, values })));
const many = (n: number): string => Array.from({ length: n }, (_, i) => `v${i}`).join(',');

test('options are typed with their values separated by commas; empty rows and repeated values are left out', () => {
  expect(optionsOf(typed([' Colour ', 'Red, Blue,, Red'], ['', ' '], ['Size', '']))).toEqual([
    { name: 'Colour', values: ['Red', 'Blue'] },
    { name: 'Size', values: [] },
  ]);
  expect(optionsIn('')).toEqual([{ name: '', values: '' }]);
  expect(countOf(optionsOf(''))).toBe(0);
});

test('the combinations vary in the last option first, and those beyond a hundred are added afterwards', () => {
  const small = optionsOf(typed(['Colour', 'Red, Blue'], ['Size', 'S, M']));
  expect(firstCombinations(small).map((one) => one.map(({ value }) => value).join(' '))).toEqual([
    'Red S',
    'Red M',
    'Blue S',
    'Blue M',
  ]);
  expect([countOf(small), hasMore(small), isTooMany(small)]).toEqual([4, false, false]);
  const large = optionsOf(typed(['A', many(50)], ['B', many(40)]));
  expect([countOf(large), firstCombinations(large).length, hasMore(large), isTooMany(large)]).toEqual([
    2_000,
    100,
    true,
    false,
  ]);
  expect(isTooMany(optionsOf(typed(['A', many(50)], ['B', many(41)])))).toBe(true);
});

test('errors of variants stand at the price, the stock, the custom values or the options of the form', () => {
  expect(formFieldOf('name', 'name')).toBe('name');
  expect(formFieldOf('variants', 'variants.3.price')).toBe('price');
  expect(formFieldOf('variants', 'variants.3.stock_qty')).toBe('stock_qty');
  expect(formFieldOf('variants', 'variants.3.custom.price')).toBe('variant.custom.price');
  expect(formFieldOf('variants', 'variants.3.custom.colours.0')).toBe('variant.custom.colours');
  expect(formFieldOf('variants', 'variants.3.options.0.value')).toBe('options');
});
