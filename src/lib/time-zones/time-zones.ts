import { Temporal } from 'temporal-polyfill';
import { normaliseCountry } from '../countries.ts';
import { areasOf } from '../subdivisions/subdivisions.ts';
import { ZONES_OF_STATES } from './zones-of-states.ts';

const knownZones = new Map<string, boolean>();

/** Whether the text names a time zone of the IANA database (or an offset such as +02:00). */
export function isZone(name: string): boolean {
  let known = knownZones.get(name);
  if (known === undefined) {
    try {
      Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
      known = true;
    } catch {
      known = false;
    }
    // The names come from contacts' properties: the bound keeps invalid ones from filling the memory.
    if (knownZones.size < 2_000) knownZones.set(name, known);
  }
  return known;
}

/** What is not in TypeScript's library yet. */
type LocaleWithZones = Intl.Locale & { getTimeZones(): string[] | undefined };

const onlyZones = new Map<string, string | null>();

/** By the data of ICU, which comes with Node. */
function onlyZoneOf(country: string): string | null {
  let only = onlyZones.get(country);
  if (only === undefined) {
    const zones = (new Intl.Locale(`und-${country}`) as LocaleWithZones).getTimeZones() ?? [];
    only = zones.length === 1 ? zones[0]! : null;
    onlyZones.set(country, only);
  }
  return only;
}

/**
 * Returns the time zone of an address, where at least 95 of 100 of the inhabitants of its country, or else of its state, live in one; null
 * otherwise. Takes names as well as codes.
 */
export function zoneOfAddress(countryText: string, stateText: string | null): string | null {
  const country = normaliseCountry(countryText);
  if (country === null) return null;
  const zones = ZONES_OF_STATES[country];
  if (zones === undefined) return onlyZoneOf(country);
  const areas = stateText === null ? [] : areasOf(country, stateText);
  const within = (codes: string): boolean => codes.split(' ').some((code) => areas.includes(code));
  const found = Object.entries(zones.states ?? {}).find(([, codes]) => within(codes));
  if (found !== undefined) return found[0];
  if (zones.split !== undefined && within(zones.split)) return null;
  return (areas.length > 0 ? zones.others : undefined) ?? zones.whole ?? null;
}

/** Returns the calendar date at `at` in an IANA time zone. Throws RangeError for an unknown zone. */
export function dateIn(timeZone: string, at: Date): string {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}
