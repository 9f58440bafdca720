import { expect, test } from 'vitest';
import { MAX_PARENTS } from '../formats/inheritance.ts';
import { Families } from './families.ts';

test('a file has a bounded number of products with variants; those that it has are still found', () => {
  const families = new Families();
  const first = families.of('0');
  for (let n = 1; n < MAX_PARENTS; n++) families.of(String(n));
  expect(() => families.of('further')).toThrow('a file has at most 200000 products with variants');
  expect(families.of('0')).toBe(first);
});

test('slugs made for products are numbered in the order of the file, and stay with their keys', () => {
  const families = new Families();
  const slugs = ['a', 'b', 'a', 'c'].map((key) => families.slugFor(key, key === 'c' ? 'mug' : 'cup'));
  expect(slugs).toEqual(['cup', 'cup-2', 'cup', 'mug']);
  for (let n = 3; n < MAX_PARENTS; n++) families.slugFor(String(n), 'tee');
  expect(() => families.slugFor('further', 'tee')).toThrow('a file has at most 200000 products with variants');
});
