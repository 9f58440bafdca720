import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchTaxRules, statesMatter, type TaxRule } from './match.ts';

let lastId = 0;
function rule(fields: Partial<TaxRule>): TaxRule {
  return {
    id: ++lastId,
    country: 'US',
    state: null,
    zip_from: null,
    zip_to: null,
    rate: 50_000,
    name: 'Tax',
    priority: 1,
    compound: false,
    applies_to_shipping: false,
    tax_class: null,
    ...fields,
  };
}

const newYork = { country: 'US', state: 'NY', zip: '10001-1234' };
const names = (rules: TaxRule[]) => rules.map((matched) => matched.name);

const federal = rule({ name: 'federal' });
const state = rule({ name: 'state', state: 'ny' });
const city = rule({ name: 'city', zip_from: '10000', zip_to: '10299' });
const block = rule({ name: 'block', zip_from: '10001', zip_to: null });
const books = rule({ name: 'books', tax_class: 'books', rate: 0 });
const extra = rule({ name: 'extra', priority: 2, compound: true });
const all = [federal, state, city, block, books, extra];

describe('the most specific rule of a priority wins', () => {
  test.each([
    ['one code before a range', newYork, null, ['block', 'extra']],
    ['a range before a state', { ...newYork, zip: '10200' }, null, ['city', 'extra']],
    ['a state before the country', { ...newYork, zip: '14201' }, null, ['state', 'extra']],
    ['the country where nothing else fits', { country: 'US', state: 'TX', zip: '75001' }, null, ['federal', 'extra']],
    ['the class of the product before any place', newYork, 'books', ['books', 'extra']],
    ['a class without rules of its own is taxed as the rest', newYork, 'toys', ['block', 'extra']],
    ['an address without a state', { country: 'US', state: null, zip: '75001' }, null, ['federal', 'extra']],
    ['another country: no tax', { country: 'DE', state: 'NY', zip: '10001' }, null, []],
  ])('%s', (_, address, taxClass, expected) => {
    expect(names(matchTaxRules(all, address, taxClass))).toEqual(expected);
  });

  test('the narrower of two ranges, then the lower id', () => {
    const wide = rule({ name: 'wide', zip_from: '10000', zip_to: '19999' });
    const text = rule({ name: 'text', zip_from: '1000A', zip_to: '1999Z' });
    const twin = rule({ name: 'twin', zip_from: '10000', zip_to: '10299' });
    expect(names(matchTaxRules([twin, text, wide, city], newYork, null))).toEqual(['city']);
    expect(names(matchTaxRules([text, wide], newYork, null))).toEqual(['wide']);
  });

  test('the narrower of two ranges by the number of its codes, not by where it begins', () => {
    const low = rule({ name: 'low', zip_from: '00001', zip_to: '20000' });
    const high = rule({ name: 'high', zip_from: '19000', zip_to: '19999' });
    const at = { ...newYork, zip: '19500' };
    expect(names(matchTaxRules([low, high], at, null))).toEqual(['high']);
    expect(names(matchTaxRules([high, low], at, null))).toEqual(['high']);
    // One code is narrower than a range that begins with it.
    const one = rule({ name: 'one', zip_from: null, zip_to: '19500' });
    expect(names(matchTaxRules([high, one], at, null))).toEqual(['one']);
    expect(names(matchTaxRules([one, high], { ...at, zip: '19501' }, null))).toEqual(['high']);
  });
});

test('a state is the same by code and by name, and a part of another', () => {
  const texas = rule({ name: 'texas', state: 'Texas' });
  expect(names(matchTaxRules([texas, federal], { country: 'US', state: 'tx', zip: '75001' }, null))).toEqual(['texas']);
  const milan = { country: 'IT', state: 'Milano', zip: '20121' };
  const italy = [null, '25', 'MI'].map((state) => rule({ name: state ?? 'Italy', country: 'IT', state }));
  expect(names(matchTaxRules(italy, milan, null))).toEqual(['MI']);
  expect(names(matchTaxRules(italy.slice(0, 2), milan, null))).toEqual(['25']);
  expect(names(matchTaxRules(italy, { ...milan, state: 'Como' }, null))).toEqual(['25']);
});

test('the order of the rules decides nothing, and each priority applies once, in order', () => {
  const place = { state: fc.constantFrom(null, 'NY', 'TX'), zip_from: fc.constantFrom(null, '10001', '10000') };
  const arbitrary = fc.record({ ...place, priority: fc.nat(3), tax_class: fc.constantFrom(null, 'books') }).map(rule);
  const shuffled = fc
    .array(arbitrary, { maxLength: 12 })
    .chain((rules) => fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length })));
  fc.assert(
    fc.property(shuffled, fc.constantFrom(null, 'books'), ([rules, mixed], taxClass) => {
      const matched = matchTaxRules(rules, newYork, taxClass);
      expect(matchTaxRules(mixed, newYork, taxClass)).toEqual(matched);
      const priorities = matched.map((match) => match.priority);
      expect(priorities).toEqual([...new Set(priorities)].sort());
    }),
  );
});

test('a state is asked for only where the rules of the country name one', () => {
  expect(statesMatter(all, 'US')).toBe(true);
  expect(statesMatter([federal, city], 'US')).toBe(false);
  expect(statesMatter(all, 'DE')).toBe(false);
});
