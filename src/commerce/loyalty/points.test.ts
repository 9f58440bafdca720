import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkRedeem, earnedPoints, type LoyaltySettings, pointsValue, pointsWorth } from './points.ts';

test.each([
  ['1 a dollar, only full dollars', 1999, 0, 1_000_000, 2, 19],
  ['less the discount', 10_000, 1050, 1_000_000, 2, 89],
  ['nothing on what is free', 500, 500, 1_000_000, 2, 0],
  ['1.5 a dollar', 1999, 0, 1_500_000, 2, 29],
  ['half a point a yen', 1001, 0, 500_000, 0, 500],
  ['a dinar has 1000 fils', 12_345, 0, 10_000_000, 3, 123],
  ['no more than a million million', 100_000_001, 0, 1_000_000_000_000, 2, 1_000_000_000_000],
])('earned: %s', (_, subtotal, discount, pointsPerDollar, exponent, points) => {
  expect(earnedPoints(subtotal, discount, pointsPerDollar, exponent)).toBe(points);
});

test.each([
  ['a cent each', 1234, 10_000, 2, 1234],
  ['half a cent each, rounded down', 1235, 5000, 2, 617],
  ['less than a yen each', 99, 10_000, 0, 0],
  ['worth nothing', 1000, 0, 2, 0],
  ['a debt, rounded down', -1235, 5000, 2, -618],
])('value: %s', (_, points, pointValue, exponent, value) => {
  expect(pointsValue(points, pointValue, exponent)).toBe(value);
});

test('a redemption takes the fewest points with that value', () => {
  const pointValue = fc.integer({ min: 1, max: 100_000_000 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), pointValue, fc.nat(4), (value, each, exponent) => {
      const points = pointsWorth(value, each, exponent);
      expect(pointsValue(points, each, exponent)).toBeGreaterThanOrEqual(value);
      expect(pointsValue(points - 1, each, exponent)).toBeLessThan(value);
    }),
  );
});

test('points redeemed in two parts are never worth more than at once', () => {
  fc.assert(
    fc.property(fc.nat(1e9), fc.nat(1e9), fc.nat(1e7), (a, b, each) => {
      expect(pointsValue(a, each, 2) + pointsValue(b, each, 2)).toBeLessThanOrEqual(pointsValue(a + b, each, 2));
    }),
  );
});

test('redemption is refused with the first reason that holds', () => {
  const settings: LoyaltySettings = {
    enabled: true,
    points_per_dollar: 1_000_000,
    point_value: 10_000,
    min_redeem_points: 100,
  };
  const off = { ...settings, enabled: false };
  expect(checkRedeem({ settings: off, balance: 0, points: 1 })).toBe('loyalty_disabled');
  expect(checkRedeem({ settings, balance: 0, points: 99 })).toBe('below_min_redeem');
  expect(checkRedeem({ settings, balance: 99, points: 100 })).toBe('insufficient_points');
  expect(checkRedeem({ settings, balance: 100, points: 100 })).toBeNull();
});
