import type { FieldError } from '../errors.ts';
import { normaliseCountry } from '../lib/countries.ts';
import { problem, wrong } from '../lib/validation/problems.ts';
import { type Micros, type Minor, parseDecimalMicros, toMinor } from './money.ts';
import type { Shop } from './shop.ts';

/** Readers of body fields: they return the stored form and add faults to `errors`. */

/** An amount in major units; one with more decimals than the currency has is an error (and 0). */
export function readAmount(field: string, value: number, shop: Shop, errors: FieldError[]): Minor {
  const minor = toMinor(value, shop.exponent);
  if (minor !== null) return minor;
  errors.push(wrong(field, problem('decimals', { currency: shop.currency }), 'too_many_decimals'));
  return 0;
}

/** A rate or percentage; one with more than six decimals is an error (and 0). */
export function readDecimal(field: string, value: number, errors: FieldError[]): Micros {
  const micros = parseDecimalMicros(value);
  if (micros !== null) return micros;
  errors.push(wrong(field, problem('six_decimals'), 'too_many_decimals'));
  return 0;
}

/** Returns the alpha-2 code of a country given by code or English name; an unknown one is an error (and ''). */
export function readCountry(field: string, value: string, errors: FieldError[]): string {
  const country = normaliseCountry(value);
  if (country !== null) return country;
  errors.push(wrong(field, problem('no_country'), 'unknown'));
  return '';
}

const MAX_METADATA_CHARACTERS = 16_384;

/** Metadata longer than 16 KiB as JSON is an error, because lists show a hundred records with theirs. */
export function checkMetadata(metadata: Record<string, unknown> | undefined, errors: FieldError[]): void {
  if (metadata === undefined || JSON.stringify(metadata).length <= MAX_METADATA_CHARACTERS) return;
  const message = `metadata may have ${MAX_METADATA_CHARACTERS} characters as JSON`;
  errors.push({ field: 'metadata', code: 'too_long', message });
}

/** Returns the given text, otherwise the old one; null for an empty text. */
export function mergeText(given: string | null | undefined, old: string | null): string | null {
  return given === undefined ? old : given || null;
}
