import { expect, test } from 'vitest';
import { facetFilters, facetsOf, isFacetFilter, optionNames } from '../../../admin/src/pages/products/facets.ts';

const FIELDS = [
  { key: 'material', filterable: true },
  { key: 'origin', filterable: false },
];
const many = Array.from({ length: 12 }, (_, i) => ({ key: `f${i}`, filterable: true }));

test('names of options come from the listed products, once each; those with a comma cannot be counted', () => {
  const options = [{ name: 'Size' }, { name: 'Colour, main' }];
  expect(optionNames([{ options }, { options: [{ name: 'Size' }, { name: 'Cut' }] }])).toEqual(['Size', 'Cut']);
});

test('options by name and filterable custom fields are offered, and what is set in the address', () => {
  expect(facetFilters({}, ['Size', 'Cut'], FIELDS)).toEqual(['option.Cut', 'option.Size', 'custom.material']);
  const set = { 'option.Colour': 'Red', 'option.Size': 'M', status: 'draft' };
  expect(facetFilters(set, ['Size'], FIELDS)).toEqual(['option.Size', 'custom.material', 'option.Colour']);
});

test('a custom field that cannot be filtered by is left out once the fields are known', () => {
  const set = { 'custom.origin': 'Ghent' };
  expect(facetFilters(set, [], FIELDS)).toEqual(['custom.material']);
  expect(facetFilters(set, [], null)).toEqual(['custom.origin']);
});

test('a field of products and of variants is one filter, and at most as many are offered as are counted', () => {
  expect(facetFilters({}, [], [...FIELDS, ...FIELDS])).toEqual(['custom.material']);
  const offered = facetFilters({ 'custom.f11': 'x' }, ['Size'], many);
  expect(offered).toHaveLength(10);
  expect(offered.at(-1)).toBe('custom.f11');
  expect(facetsOf(offered).split(',')).toHaveLength(10);
});

test('filters are named differently as facets', () => {
  expect(facetsOf(['option.Colour', 'option.A, B', 'custom.material'])).toBe('option:Colour,custom.material');
  expect(['option.Colour', 'custom.material', 'status', 'options'].filter(isFacetFilter)).toEqual([
    'option.Colour',
    'custom.material',
  ]);
});
