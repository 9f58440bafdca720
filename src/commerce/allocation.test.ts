import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allocate, allocateBig } from './allocation.ts';

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

test.each([
  [100, [1, 1, 1], [34, 33, 33]],
  [10, [1999, 1], [10, 0]],
  [5, [10, 0, 10], [3, 0, 2]],
  [1, [3, 5, 5], [0, 1, 0]],
  [2, [1, 3], [0, 2]], // equal remainders: the greater weight
  [7, [7], [7]],
  [0, [4, 5], [0, 0]],
  [0, [0, 0], [0, 0]],
  [0, [], []],
  [10, [10, 20, 30], [2, 3, 5]], // 1.67, 3.33, 5: the largest remainder is the first
])('%d over %j is %j', (whole, weights, parts) => {
  expect(allocate(whole, weights)).toEqual(parts);
});

/** A whole with its weights: small ones, and ones whose product exceeds the safe integers. */
const cases = fc
  .tuple(
    fc.oneof(
      fc.array(fc.nat(9), { minLength: 1, maxLength: 9 }), // many equal remainders
      fc.array(fc.oneof(fc.nat(20), fc.nat(1e6), fc.nat(1e13)), { minLength: 1, maxLength: 200 }),
    ),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  .map(([weights, share]) => ({ weights, whole: Math.floor(sum(weights) * share) }));

test('no unit is lost, and no part exceeds its weight or strays a unit from its exact share', () => {
  fc.assert(
    fc.property(cases, ({ whole, weights }) => {
      const parts = allocate(whole, weights);
      expect(sum(parts)).toBe(whole);
      const total = BigInt(sum(weights)) || 1n;
      parts.forEach((part, i) => {
        expect(part).toBeLessThanOrEqual(weights[i]!);
        const floor = Number((BigInt(whole) * BigInt(weights[i]!)) / total);
        expect(part === floor || part === floor + 1).toBe(true);
      });
    }),
  );
});

test('the share of a weight does not depend on its position', () => {
  fc.assert(
    fc.property(cases, ({ whole, weights }) => {
      const shares = (list: number[]) =>
        allocate(whole, list)
          .map((part, i) => [list[i]!, part])
          .sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!);
      expect(shares([...weights].reverse())).toEqual(shares(weights));
    }),
  );
});

test('both number types split alike', () => {
  fc.assert(
    fc.property(cases, ({ whole, weights }) => {
      expect(allocateBig(BigInt(whole), weights.map(BigInt)).map(Number)).toEqual(allocate(whole, weights));
    }),
  );
});
