import { exponentOf } from '../../../../lib/currency.ts';
import { type Minor, minorPerMajor } from '../../../money.ts';
import type { ProviderCurrency } from '../provider.ts';

/** Of https://docs.stripe.com/currencies; all others have two decimals there. */
const ZERO_DECIMALS = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
/** Their last digit has to be 0, because card networks take two decimals. */
const THREE_DECIMALS = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);
/** Currencies without decimals that Stripe writes with two, which have to be 0. */
const WHOLE_WITH_TWO = new Set(['ISK', 'UGX']);

function decimalsAtStripe(code: string): number {
  if (ZERO_DECIMALS.has(code)) return 0;
  return THREE_DECIMALS.has(code) ? 3 : 2;
}

/** Returns the amount as Stripe has it; null: Stripe takes no such amount in the currency. */
export function toStripe(amount: Minor, { code, exponent }: ProviderCurrency): number | null {
  const atStripe = rescaled(amount, exponent, decimalsAtStripe(code));
  if (atStripe === null) return null;
  if (THREE_DECIMALS.has(code) && atStripe % 10 !== 0) return null;
  if (WHOLE_WITH_TWO.has(code) && atStripe % 100 !== 0) return null;
  return atStripe;
}

/**
 * Returns an amount of Stripe in our minor units; null: it has more decimals than we do. `code` (upper case) is the amount's currency; ours is
 * counted by its own exponent, others by ISO 4217.
 */
export function fromStripe(amount: number, code: string, ours: ProviderCurrency): Minor | null {
  return rescaled(amount, decimalsAtStripe(code), code === ours.code ? ours.exponent : exponentOf(code));
}

function rescaled(amount: number, from: number, to: number): number | null {
  const scaled = to >= from ? amount * minorPerMajor(to - from) : amount / minorPerMajor(from - to);
  return Number.isSafeInteger(scaled) ? scaled : null;
}
