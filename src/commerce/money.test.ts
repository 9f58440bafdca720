import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exponentOf } from '../lib/currency.ts';
import {
  fromMicros,
  fromMinor,
  maxPrice,
  minorPerMajor,
  mulDivCeil,
  mulDivFloor,
  mulDivHalfUp,
  parseDecimalMicros,
  toMinor,
} from './money.ts';

test('currencies have the decimals that ISO 4217 gives them', () => {
  const shown = ['USD', 'EUR', 'JPY', 'KRW', 'ISK', 'BHD', 'TND', 'CLF', 'UYI', 'MGA', 'constructor'].map(exponentOf);
  expect(shown).toEqual([2, 2, 0, 0, 0, 3, 3, 4, 0, 2, 2]);
  expect(minorPerMajor(3)).toBe(1000);
});

test('the highest price is 9,999,999.99 in whole minor units of any currency', () => {
  expect([0, 2, 3, 4].map(maxPrice)).toEqual([9_999_999, 999_999_999, 9_999_999_990, 99_999_999_900]);
});

describe('toMinor', () => {
  test.each([
    [19.99, 2, 1999],
    [1.1, 2, 110],
    [0, 2, 0],
    [9_999_999.99, 2, 999_999_999],
    [0.07, 2, 7],
    [1.15, 2, 115], // 1.15 * 100 is 114.99999999999999
    [8.41, 2, 841], // 8.41 * 100 is 841.0000000000001
    [-5.25, 2, -525],
    [100, 0, 100],
    [1.005, 3, 1005],
    [1e15, 0, 1e15],
  ])('%d with exponent %d is %d', (value, exponent, minor) => {
    expect(toMinor(value, exponent)).toBe(minor);
  });

  test.each([
    [1.005, 2],
    [0.1 + 0.2, 2],
    [0.5, 0],
    [5e-7, 4],
    [1.5e-7, 4],
    [Number.NaN, 2],
    [Number.POSITIVE_INFINITY, 2],
    [1e300, 2],
    [9_007_199_254_740_991, 2],
    [90_071_992_547_409.95, 2],
  ])('%d with exponent %d is refused', (value, exponent) => {
    expect(toMinor(value, exponent)).toBeNull();
  });

  test('there is no negative zero', () => {
    expect(toMinor(-0, 2)).toBe(0);
  });

  test('survives the way to the edge and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e15, max: 1e15 }), fc.integer({ min: 0, max: 4 }), (minor, exponent) => {
        expect(toMinor(fromMinor(minor, exponent), exponent)).toBe(minor);
      }),
    );
  });

  test('reads any decimal text of a client as that decimal', () => {
    const parts = fc.tuple(fc.integer({ min: 0, max: 9_999_999 }), fc.integer({ min: 0, max: 99 }));
    fc.assert(
      fc.property(parts, ([major, cents]) => {
        expect(toMinor(JSON.parse(`${major}.${String(cents).padStart(2, '0')}`), 2)).toBe(major * 100 + cents);
      }),
    );
  });
});

test('rates of up to six places are exact, more are refused', () => {
  expect([0.08875, 0.000001, 12.5, 1, 0].map(parseDecimalMicros)).toEqual([88_750, 1, 12_500_000, 1_000_000, 0]);
  expect([0.0000001, 1 / 3, 1e10].map(parseDecimalMicros)).toEqual([null, null, null]);
  expect(fromMicros(88_750)).toBe(0.08875);
});

describe('multiply and divide', () => {
  test('halves go up', () => {
    expect([4, 5, 6, 14, 15].map((n) => mulDivHalfUp(n, 1, 10))).toEqual([0, 1, 1, 1, 2]);
    expect([3, 4].map((n) => mulDivHalfUp(n, 1, 7))).toEqual([0, 1]);
  });

  test('agrees with exact arithmetic on both sides of 2^53', () => {
    const whole = fc.oneof(fc.integer({ min: 0, max: 1e6 }), fc.maxSafeNat());
    const divisor = fc.oneof(fc.integer({ min: 1, max: 1e7 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
    fc.assert(
      fc.property(whole, whole, divisor, (a, b, d) => {
        const [product, by] = [BigInt(a) * BigInt(b), BigInt(d)];
        expect(mulDivFloor(a, b, d)).toBe(Number(product / by));
        expect(mulDivCeil(a, b, d)).toBe(Number((product + by - 1n) / by));
        const rest = product % by;
        expect(mulDivHalfUp(a, b, d)).toBe(Number(product / by + (rest * 2n >= by ? 1n : 0n)));
      }),
      { numRuns: 1000 },
    );
  });
});
