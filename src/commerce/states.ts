import type { FieldError } from '../errors.ts';
import { normaliseSubdivision, subdivisionsOf } from '../lib/subdivisions/subdivisions.ts';
import { problem, wrong } from '../lib/validation/problems.ts';
import { statesMatter as shippingStatesMatter } from './shipping/match.ts';
import type { Shop } from './shop.ts';
import { statesMatter as taxStatesMatter } from './taxes/match.ts';

/** The part of a shop that says whether an address needs its state. */
export type StateRules = Pick<Shop, 'tax' | 'zones'>;

/** Returns whether the shop's taxes or shipping in this country depend on the state. */
export function goesByState({ tax, zones }: StateRules, country: string): boolean {
  return taxStatesMatter(tax.rules, country) || shippingStatesMatter(zones, country);
}

/** The same shop, in which no address needs a state: for an address that is kept as it is. */
export function withoutStateRules(shop: Shop): Shop {
  return { ...shop, tax: { ...shop.tax, rules: [] }, zones: [] };
}

/**
 * Returns a state of this country (alpha-2) in the form in which it is stored: its code by ISO 3166-2, another text as it is. An unknown
 * one is an error where the shop's taxes or shipping depend on it.
 */
export function readState(
  field: string,
  given: string,
  country: string,
  shop: StateRules,
  errors: FieldError[],
): string {
  const code = normaliseSubdivision(country, given);
  if (code !== null || given === '') return code ?? '';
  if (goesByState(shop, country)) checkState(field, given, country, errors);
  return given;
}

/** An unknown state is an error in countries that have any. */
export function checkState(field: string, given: string, country: string, errors: FieldError[]): void {
  if (normaliseSubdivision(country, given) !== null || subdivisionsOf(country).length === 0) return;
  errors.push(wrong(field, problem('unknown_state', { name: given, country }), 'unknown'));
}

/** Returns the code of a state of this country; another text as it is. */
export function stateCode<State extends string | null>(state: State, country: string): State | string {
  return state === null ? state : (normaliseSubdivision(country, state) ?? state);
}
