import { expect, test } from 'vitest';
import { COUNTRY_CODES } from '../countries.ts';
import { subdivisionsOf } from '../subdivisions/subdivisions.ts';
import { isZone, zoneOfAddress } from './time-zones.ts';
import { ZONES_OF_STATES } from './zones-of-states.ts';

test.each([
  ['DE', null, 'Europe/Berlin'],
  ['germany', 'Bavaria', 'Europe/Berlin'],
  ['JP', '13', 'Asia/Tokyo'],
  ['IN', null, 'Asia/Calcutta'],
  ['US', 'CA', 'America/Los_Angeles'],
  ['United States', 'Hawaii', 'Pacific/Honolulu'],
  ['US', 'TX', 'America/Chicago'],
  ['US', 'TN', null],
  ['US', null, null],
  ['US', 'Ontario', null],
  ['CA', 'Ontario', 'America/Toronto'],
  ['CA', 'NL', null],
  ['ES', null, 'Europe/Madrid'],
  ['ES', 'Comunidad de Madrid', 'Europe/Madrid'],
  ['ES', 'GC', 'Atlantic/Canary'],
  ['PT', '20', 'Atlantic/Azores'],
  ['MX', 'CDMX', 'America/Mexico_City'],
  ['MX', 'CHH', null],
  ['MX', null, null],
  ['ID', 'Bali', 'Asia/Makassar'],
  ['ID', 'JK', 'Asia/Jakarta'],
  ['AU', 'Queensland', 'Australia/Brisbane'],
  ['RU', 'MOW', 'Europe/Moscow'],
  ['AQ', null, null],
  ['Atlantis', null, null],
])('the zone of %s, %s is %s', (country, state, zone) => {
  expect(zoneOfAddress(country, state)).toBe(zone);
});

test('the table has every country with several zones, and only zones and subdivisions that exist', () => {
  const unknown = COUNTRY_CODES.filter(
    (code) => ZONES_OF_STATES[code] === undefined && zoneOfAddress(code, null) === null,
  );
  // Nobody lives there.
  expect(unknown).toEqual(['BV', 'HM']);
  for (const [country, { states = {}, others, whole, split = '' }] of Object.entries(ZONES_OF_STATES)) {
    const codes = subdivisionsOf(country).map(({ code }) => code);
    const named = [...Object.values(states), split].flatMap((text) => text.split(' ')).filter((code) => code !== '');
    expect([country, named.filter((code) => !codes.includes(code))]).toEqual([country, []]);
    expect([country, named.length]).toEqual([country, new Set(named).size]);
    const zones = [...Object.keys(states), others, whole].filter((zone) => zone !== undefined);
    expect([country, zones.filter((zone) => !isZone(zone))]).toEqual([country, []]);
  }
});
