import type { ErrorCode } from '../../errors.ts';
import { MICROS, type Micros, type Minor, minorPerMajor, mulDivCeil, mulDivFloor } from '../money.ts';

export interface LoyaltySettings {
  enabled: boolean;
  points_per_dollar: Micros;
  /** In major units of the currency: 0.01 = 10_000 micros. */
  point_value: Micros;
  min_redeem_points: number;
}

/** What one order earns at most: thousands of such orders still add up exactly. */
const MOST_EARNED = 1_000_000_000_000;

/**
 * floor((subtotal − discount) × points per major unit), at most 10^12. `discount` is the order's whole discount: amounts paid with points
 * earn none.
 */
export function earnedPoints(subtotal: Minor, discount: Minor, pointsPerDollar: Micros, exponent: number): number {
  return Math.min(mulDivFloor(subtotal - discount, pointsPerDollar, MICROS * minorPerMajor(exponent)), MOST_EARNED);
}

/**
 * Returns the value of points, rounded down to whole minor units. Negative points (reversed after they were redeemed) are a debt, which
 * rounding down makes larger.
 */
export function pointsValue(points: number, pointValue: Micros, exponent: number): Minor {
  const each = pointValue * minorPerMajor(exponent);
  return points < 0 ? -mulDivCeil(-points, each, MICROS) : mulDivFloor(points, each, MICROS);
}

/** Returns the fewest points that are worth at least `value`; `pointValue` > 0. */
export function pointsWorth(value: Minor, pointValue: Micros, exponent: number): number {
  return mulDivCeil(value, MICROS, pointValue * minorPerMajor(exponent));
}

/** Returns null if the points (> 0) can be redeemed, otherwise the first reason in this order why they cannot. */
export function checkRedeem(redemption: {
  settings: LoyaltySettings;
  balance: number;
  points: number;
}): Extract<ErrorCode, 'loyalty_disabled' | 'below_min_redeem' | 'insufficient_points'> | null {
  const { settings, balance, points } = redemption;
  if (!settings.enabled) return 'loyalty_disabled';
  if (points < settings.min_redeem_points) return 'below_min_redeem';
  if (points > balance) return 'insufficient_points';
  return null;
}
