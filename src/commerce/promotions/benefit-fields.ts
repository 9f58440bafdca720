import type { FieldError } from '../../errors.ts';
import { type KnownProblem, problem, wrong } from '../../lib/validation/problems.ts';
import { readAmount, readDecimal } from '../fields.ts';
import { fromMicros, fromMinor, MICROS } from '../money.ts';
import type { Shop } from '../shop.ts';
import type { BuyXGetY } from './contract.ts';
import type { PromoBenefit } from './discount.ts';

export function benefitOf(promo: PromoBenefit): PromoBenefit {
  return promo.type === 'free_shipping'
    ? { type: promo.type }
    : ({ type: promo.type, value: promo.value } as PromoBenefit);
}

/** Returns the value in its stored form; adds an error if it does not fit the type. */
export function readBenefit(
  type: PromoBenefit['type'],
  value: number | BuyXGetY | null,
  shop: Shop,
  errors: FieldError[],
): PromoBenefit {
  const kind = value === null ? 'required' : 'invalid';
  const fail = (field: string, found: KnownProblem): void => void errors.push(wrong(field, found, kind));
  switch (type) {
    case 'percent':
      if (isWithin(value, 0, 100)) return { type, value: readDecimal('value', value, errors) };
      fail('value', problem('no_percentage'));
      return { type, value: 0 };
    case 'fixed':
      if (isWithin(value, 0, 9_999_999.99)) return { type, value: readAmount('value', value, shop, errors) };
      fail('value', problem('no_amount'));
      return { type, value: 0 };
    case 'free_shipping':
      if (value !== null) {
        errors.push({ field: 'value', code: kind, message: 'value must be null or absent for free_shipping' });
      }
      return { type };
    case 'buy_x_get_y':
      return { type, value: readBuyXGetY(value, errors, fail) };
  }
}

/** Returns whether the value is above `low` and at most `high`. */
function isWithin(value: unknown, low: number, high: number): value is number {
  return typeof value === 'number' && value > low && value <= high;
}

function readBuyXGetY(
  given: number | BuyXGetY | null,
  errors: FieldError[],
  fail: (field: string, found: KnownProblem) => void,
): { buy: number; get: number; percent_off: number } {
  const value: Partial<BuyXGetY> = typeof given === 'object' && given !== null ? given : {};
  const { buy, get, percent_off = 100 } = value;
  for (const [field, count] of Object.entries({ buy, get })) {
    if (!Number.isInteger(count) || !isWithin(count, 0, 9_999)) {
      fail(`value.${field}`, problem('no_count'));
    }
  }
  const percent = isWithin(percent_off, 0, 100);
  if (!percent) fail('value.percent_off', problem('no_percentage'));
  return {
    buy: buy ?? 0,
    get: get ?? 0,
    percent_off: percent ? readDecimal('value.percent_off', percent_off, errors) : 0,
  };
}

export function valueRecord(benefit: PromoBenefit, shop: Shop): number | BuyXGetY | null {
  switch (benefit.type) {
    case 'percent':
      return fromMicros(benefit.value);
    case 'fixed':
      return fromMinor(benefit.value, shop.exponent);
    case 'free_shipping':
      return null;
    case 'buy_x_get_y': {
      const { buy, get, percent_off = 100 * MICROS } = benefit.value;
      return { buy, get, percent_off: fromMicros(percent_off) };
    }
  }
}
