import type { Address } from '../address.ts';
import { normaliseState, normaliseZip, statesOf, zipWithin } from '../address.ts';
import type { Minor } from '../money.ts';

/** The area that some methods serve. An empty list does not narrow the zone; with three empty lists it is everywhere. */
export interface ShippingZone {
  id: number;
  position: number;
  /** ISO 3166-1 alpha-2, upper case. */
  countries: readonly string[];
  states: readonly string[];
  /** A code (`10001`), a prefix (`SW1*`) or a range (`10000...19999`, ends included). */
  zip_patterns: readonly string[];
}

export type ShippingRate =
  | { type: 'flat'; config: { cost: Minor } }
  /** The last bracket whose `from` the order reaches, in ascending order; below the first the method is not offered. */
  | { type: 'by_subtotal'; config: { brackets: readonly { from: Minor; cost: Minor }[] } }
  /** `cost`, or nothing from `free_over` on. */
  | { type: 'free_over'; config: { cost: Minor; free_over: Minor } };

export type ShippingMethod = ShippingRate & {
  id: number;
  zone_id: number;
  position: number;
  name: string;
  active: boolean;
};

export interface ShippingQuote {
  id: number;
  name: string;
  cost: Minor;
}

/** Returns the cost for goods of this value after discounts; null if the method is not offered for so little. */
export function costOf(method: ShippingRate, subtotalAfterDiscount: Minor): Minor | null {
  switch (method.type) {
    case 'flat':
      return method.config.cost;
    case 'by_subtotal':
      return method.config.brackets.findLast(({ from }) => subtotalAfterDiscount >= from)?.cost ?? null;
    case 'free_over':
      return subtotalAfterDiscount >= method.config.free_over ? 0 : method.config.cost;
  }
}

/**
 * Returns the one zone that serves the address, or null. The most specific zone wins: postal codes before states before countries before
 * everywhere; among equals, the first by position, then id.
 */
export function zoneOf(zones: readonly ShippingZone[], address: Address): ShippingZone | null {
  const states = statesOf(address);
  const zip = normaliseZip(address.zip, address.country);
  let best: ShippingZone | null = null;
  for (const zone of zones) {
    if (!serves(zone, address.country, states, zip)) continue;
    if (best === null || compareZones(zone, best) < 0) best = zone;
  }
  return best;
}

/**
 * Returns the methods offered for this address and value, with their costs, by position, then id. They come from the one zone that serves
 * the address: a zone without methods means that nothing is shipped there, whatever wider zones offer.
 */
export function eligibleMethods(
  zones: readonly ShippingZone[],
  methods: readonly ShippingMethod[],
  address: Address,
  subtotalAfterDiscount: Minor,
): ShippingQuote[] {
  const zone = zoneOf(zones, address);
  if (zone === null) return [];
  const quotes: ShippingQuote[] = [];
  const offered = methods.filter((method) => method.active && method.zone_id === zone.id);
  for (const method of offered.sort((a, b) => a.position - b.position || a.id - b.id)) {
    const cost = costOf(method, subtotalAfterDiscount);
    if (cost !== null) quotes.push({ id: method.id, name: method.name, cost });
  }
  return quotes;
}

/** Returns the requested method, or the first one offered if none is requested; null if it is not offered. */
export function chooseMethod(
  zones: readonly ShippingZone[],
  methods: readonly ShippingMethod[],
  address: Address,
  subtotalAfterDiscount: Minor,
  requestedMethodId: number | null = null,
): ShippingQuote | null {
  const quotes = eligibleMethods(zones, methods, address, subtotalAfterDiscount);
  if (requestedMethodId === null) return quotes[0] ?? null;
  return quotes.find((quote) => quote.id === requestedMethodId) ?? null;
}

/** Returns whether shipping to this country depends on the state, so that an address without one has no certain zone. */
export function statesMatter(zones: readonly ShippingZone[], country: string): boolean {
  return zones.some((zone) => zone.states.length > 0 && reaches(zone, country));
}

function reaches(zone: ShippingZone, country: string): boolean {
  return zone.countries.length === 0 || zone.countries.includes(country);
}

function serves(zone: ShippingZone, country: string, states: readonly string[], zip: string): boolean {
  return (
    reaches(zone, country) &&
    (zone.states.length === 0 || zone.states.some((each) => states.includes(normaliseState(each, country)))) &&
    (zone.zip_patterns.length === 0 || zone.zip_patterns.some((pattern) => matchesZip(pattern, zip)))
  );
}

function matchesZip(pattern: string, zip: string): boolean {
  const [from, to] = pattern.split('...');
  if (to !== undefined) return zipWithin(zip, from!, to);
  const text = normaliseZip(pattern, '');
  return text.endsWith('*') ? zip.startsWith(text.slice(0, -1)) : zip === text;
}

/** Negative if `a` is preferred. */
function compareZones(a: ShippingZone, b: ShippingZone): number {
  return specificity(b) - specificity(a) || a.position - b.position || a.id - b.id;
}

function specificity(zone: ShippingZone): number {
  return (
    4 * Number(zone.zip_patterns.length > 0) + 2 * Number(zone.states.length > 0) + Number(zone.countries.length > 0)
  );
}
