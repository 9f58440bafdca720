/** Money in whole minor units of its currency (cents for USD). Never a fraction. */
export type Minor = number;

/** A decimal times 1,000,000, whole: the exact form of rates, percentages and point values. 8.25 % as a rate = 82_500. */
export type Micros = number;

export const MICROS = 1_000_000;

/** Whole-numbered powers, because `10 ** n` need not be exact in every engine. */
const POWERS_OF_TEN = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] as const;

/** Minor units in one major unit: 100 for exponent 2. */
export function minorPerMajor(exponent: number): number {
  return POWERS_OF_TEN[exponent]!;
}

/**
 * Returns the exact decimal that `value` stands for, in units of 10^-decimals. Null if it has more decimals than that, is not finite, or
 * would exceed 2^53. The sign is kept. Works on the shortest decimal text of the number, which is what the client wrote (up to 15 digits),
 * so that no binary fraction is ever multiplied.
 */
function toScaled(value: number, decimals: number): number | null {
  if (Number.isInteger(value)) return safe(value * POWERS_OF_TEN[decimals]!);
  const text = String(value);
  const point = text.indexOf('.');
  // No point: NaN, Infinity, or an exponent as in 5e-7; `1.5e-7` ends in one too. All have more decimals than anyone asks.
  if (point < 0 || text.includes('e')) return null;
  const missing = decimals - (text.length - point - 1);
  if (missing < 0) return null;
  return safe(Number(text.slice(0, point) + text.slice(point + 1)) * POWERS_OF_TEN[missing]!);
}

/** Also turns -0 into 0: JSON does not show the difference, but `Object.is` does. */
function safe(value: number): number | null {
  return Number.isSafeInteger(value) ? value + 0 : null;
}

/**
 * Converts a JSON number in major units to minor units. Null if it has more decimals than the currency, is not finite, or its minor units
 * exceed 2^53. A negative value stays negative: whether that is allowed is the caller's decision.
 */
export function toMinor(value: number, exponent: number): Minor | null {
  return toScaled(value, exponent);
}

/**
 * Converts minor units to the JSON number of the API. Dividing two whole numbers below 2^53 yields the double nearest to the exact decimal,
 * and that double prints as this decimal (up to 15 digits): no rounding error is visible.
 */
export function fromMinor(minor: Minor, exponent: number): number {
  return minor / POWERS_OF_TEN[exponent]!;
}

/** Returns the highest price that the contract allows, 9,999,999.99, in whole minor units of the currency. */
export function maxPrice(exponent: number): Minor {
  return exponent >= 2
    ? 999_999_999 * POWERS_OF_TEN[exponent - 2]!
    : Math.floor(999_999_999 / POWERS_OF_TEN[2 - exponent]!);
}

/** Converts a decimal of at most six places to micros; null under the same conditions as `toMinor`. */
export function parseDecimalMicros(value: number): Micros | null {
  return toScaled(value, 6);
}

/** Converts micros to the JSON number of the API. */
export function fromMicros(micros: Micros): number {
  return micros / MICROS;
}

/** floor((a × b + add) ÷ divisor), exactly. */
function mulAddDiv(a: number, b: number, add: number, divisor: number): number {
  const dividend = a * b + add;
  // `%` is exact where a division is not: 9007199254740991 / 1e6 could be rounded up to the next whole number.
  if (dividend <= Number.MAX_SAFE_INTEGER) return (dividend - (dividend % divisor)) / divisor;
  return Number((BigInt(a) * BigInt(b) + BigInt(add)) / BigInt(divisor));
}

/**
 * a × b ÷ divisor rounded down, exactly, for whole a, b ≥ 0 and divisor > 0. The product may pass 2^53; a result that
 * does is no longer exact but still above 2^53, so that `Number.isSafeInteger` tells.
 */
export function mulDivFloor(a: number, b: number, divisor: number): number {
  return mulAddDiv(a, b, 0, divisor);
}

/** a × b ÷ divisor rounded to the nearest whole number, halves up; the same conditions as `mulDivFloor`. */
export function mulDivHalfUp(a: number, b: number, divisor: number): number {
  return mulAddDiv(a, b, (divisor - (divisor % 2)) / 2, divisor);
}

/** a × b ÷ divisor rounded up; the same conditions as `mulDivFloor`. */
export function mulDivCeil(a: number, b: number, divisor: number): number {
  return mulAddDiv(a, b, divisor - 1, divisor);
}
