import { exponentOf } from '../../../../lib/currency.ts';
import type { Minor } from '../../../money.ts';
import { type ProviderCurrency, ProviderUnavailable } from '../provider.ts';

export interface MollieAmount {
  currency: string;
  value: string;
}

/** Returns the amount as Mollie reads it, with the decimals that ISO 4217 gives the currency; null if it has more of them. */
export function toMollie(amount: Minor, { code, exponent }: ProviderCurrency): MollieAmount | null {
  const decimals = exponentOf(code);
  const digits = String(amount).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = digits.slice(digits.length - exponent).padEnd(decimals, '0');
  if (/[1-9]/.test(fraction.slice(decimals))) return null;
  return { currency: code, value: decimals === 0 ? whole : `${whole}.${fraction.slice(0, decimals)}` };
}

/**
 * Returns the amount in minor units, by the decimals that it has here, or by those of ISO 4217 if it is in another currency. Throws
 * ProviderUnavailable for what is no amount.
 */
export function fromMollie({ currency, value }: MollieAmount, { code, exponent }: ProviderCurrency): Minor {
  const decimals = currency === code ? exponent : exponentOf(currency);
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(value) ?? [];
  const minor = Number(`${whole}${fraction.padEnd(decimals, '0').slice(0, decimals)}`);
  if (!Number.isSafeInteger(minor) || /[1-9]/.test(fraction.slice(decimals))) {
    throw new ProviderUnavailable(`Mollie: ${value} ${currency} is no amount with ${decimals} decimals`);
  }
  return minor;
}
