import { describe, expect, it } from 'vitest';
import { fromStripe, toStripe } from './currency.ts';

const currency = (code: string, exponent: number) => ({ code, exponent });

describe('amounts at Stripe', () => {
  it.each([
    ['USD', 2, 1_050, 1_050],
    ['JPY', 0, 500, 500],
    // A shop may count a currency with other decimals than Stripe.
    ['JPY', 2, 50_000, 500],
    ['MGA', 2, 1_500, 15],
    ['KWD', 3, 5_120, 5_120],
    ['KWD', 2, 512, 5_120],
    ['ISK', 0, 5, 500],
    ['ISK', 2, 500, 500],
    ['UGX', 0, 1_200, 120_000],
    ['HUF', 2, 1_045, 1_045],
  ])('of %s with %i decimals convert both ways: %i is %i', (code, exponent, ours, theirs) => {
    expect(toStripe(ours, currency(code, exponent))).toBe(theirs);
    expect(fromStripe(theirs, code, currency(code, exponent))).toBe(ours);
  });

  it.each([
    ['KWD', 3, 5_124],
    ['ISK', 2, 550],
    ['UGX', 2, 1],
    ['JPY', 2, 50_001],
    ['MGA', 2, 1],
    ['KWD', 3, Number.MAX_SAFE_INTEGER],
  ])('that Stripe does not take are refused: %s with %i decimals, %i', (code, exponent, amount) => {
    expect(toStripe(amount, currency(code, exponent))).toBeNull();
  });

  it('that we cannot count exactly are not rounded', () => {
    expect(fromStripe(550, 'ISK', currency('ISK', 0))).toBeNull();
    expect(fromStripe(5_124, 'KWD', currency('KWD', 2))).toBeNull();
  });

  it('in a foreign currency are counted by ISO 4217', () => {
    expect(fromStripe(500, 'JPY', currency('USD', 2))).toBe(500);
    expect(fromStripe(1_050, 'EUR', currency('JPY', 0))).toBe(1_050);
    expect(fromStripe(700, 'ISK', currency('USD', 2))).toBe(7);
  });
});
