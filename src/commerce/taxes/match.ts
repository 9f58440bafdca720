import type { Address } from '../address.ts';
import { normaliseState, normaliseZip, statesOf, zipWithin } from '../address.ts';
import type { Micros } from '../money.ts';

export interface TaxRule {
  id: number;
  /** ISO 3166-1 alpha-2, upper case. */
  country: string;
  /** Null: the whole country. */
  state: string | null;
  /** A range of postal codes, ends included. A single end means that one code; none means all codes. */
  zip_from: string | null;
  zip_to: string | null;
  /** A fraction: 82_500 micros are 8.25 %. */
  rate: Micros;
  name: string;
  /** Rules of different priorities add up, the lowest first; within one priority the most specific alone applies. */
  priority: number;
  /** Also taxes the taxes of lower priorities. */
  compound: boolean;
  applies_to_shipping: boolean;
  /** Null: products of every class. */
  tax_class: string | null;
}

/**
 * Returns the rules that tax a product of `taxClass` at this address, in order of priority, one for each. The most specific rule is, in
 * this order: one for exactly this class, one with the narrower range of postal codes, one with the narrower state, the lower id. An empty list means
 * no tax. `rules` may include rules for other places.
 */
export function matchTaxRules(rules: readonly TaxRule[], address: Address, taxClass: string | null): TaxRule[] {
  const states = statesOf(address);
  const zip = normaliseZip(address.zip, address.country);
  const best = new Map<number, TaxRule>();
  for (const rule of rules) {
    if (rule.country !== address.country) continue;
    if (rule.tax_class !== null && rule.tax_class !== taxClass) continue;
    if (stateRank(rule, states) === -1) continue;
    if (!coversZip(rule, zip)) continue;
    const rival = best.get(rule.priority);
    if (rival === undefined || compareSpecificity(rule, rival, states) < 0) best.set(rule.priority, rule);
  }
  return [...best.values()].sort((a, b) => a.priority - b.priority);
}

/** Returns whether taxes in this country depend on the state, so that an address without one cannot be taxed. */
export function statesMatter(rules: readonly TaxRule[], country: string): boolean {
  return rules.some((rule) => rule.country === country && rule.state !== null);
}

function coversZip(rule: TaxRule, zip: string): boolean {
  const from = rule.zip_from ?? rule.zip_to;
  return from === null || zipWithin(zip, from, rule.zip_to ?? from);
}

/** Returns the place of the rule's state among those of the address, the narrowest first; last for the whole country, −1 for another state. */
function stateRank({ state, country }: TaxRule, states: readonly string[]): number {
  return state === null ? states.length : states.indexOf(normaliseState(state, country));
}

/** Negative if `a` is more specific. A total order, so that the order of the rules does not matter. */
function compareSpecificity(a: TaxRule, b: TaxRule, states: readonly string[]): number {
  return (
    Number(a.tax_class === null) - Number(b.tax_class === null) ||
    compareNumbers(zipWidth(a), zipWidth(b)) ||
    stateRank(a, states) - stateRank(b, states) ||
    a.id - b.id
  );
}

/** Returns how many codes a rule covers, as far as known: 0 for one, infinite for all, huge for a range of texts. */
function zipWidth(rule: TaxRule): number {
  const from = rule.zip_from ?? rule.zip_to;
  if (from === null) return Number.POSITIVE_INFINITY;
  const to = rule.zip_to ?? from;
  if (from === to) return 0;
  const width = Number(to) - Number(from);
  return Number.isNaN(width) ? Number.MAX_VALUE : width;
}

/** Unlike a subtraction, also correct for two infinities. */
function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
