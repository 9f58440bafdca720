import { areasOf, normaliseSubdivision } from '../lib/subdivisions/subdivisions.ts';

/** The parts of an order's shipping address on which taxes and shipping depend. */
export interface Address {
  /** ISO 3166-1 alpha-2, upper case. */
  country: string;
  state: string | null;
  zip: string;
}

/** Returns a state in the form in which states are compared: its code by ISO 3166-2, an unknown one in upper case. */
export function normaliseState(state: string | null, country: string): string {
  if (state === null) return '';
  return normaliseSubdivision(country, state) ?? state.trim().toUpperCase();
}

/** Returns the state and the larger ones that it is part of, in the form in which states are compared, the narrowest first. */
export function statesOf({ state, country }: Address): string[] {
  const areas = state === null ? [] : areasOf(country, state);
  return areas.length > 0 ? areas : [normaliseState(state, country)];
}

/** Returns a postal code in the form in which codes are compared: upper case, no white space, a US code without its +4. */
export function normaliseZip(zip: string, country: string): string {
  const text = zip.replace(/\s+/g, '').toUpperCase();
  return country === 'US' && /^\d{5}-\d{4}$/.test(text) ? text.slice(0, 5) : text;
}

const DIGITS = /^\d+$/;

/** Returns whether a normalised code is in the range, ends included: compared as numbers if all are, else as upper-case text. */
export function zipWithin(zip: string, from: string, to: string): boolean {
  const [low, high] = [normaliseZip(from, ''), normaliseZip(to, '')];
  if (DIGITS.test(zip) && DIGITS.test(low) && DIGITS.test(high)) {
    return Number(zip) >= Number(low) && Number(zip) <= Number(high);
  }
  return zip >= low && zip <= high;
}
