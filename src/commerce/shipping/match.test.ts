import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  chooseMethod,
  costOf,
  eligibleMethods,
  type ShippingMethod,
  type ShippingZone,
  statesMatter,
  zoneOf,
} from './match.ts';

const zone = (id: number, fields: Partial<ShippingZone> = {}): ShippingZone => ({
  id,
  position: id,
  countries: [],
  states: [],
  zip_patterns: [],
  ...fields,
});

const everywhere = zone(1);
const domestic = zone(2, { countries: ['US', 'CA'] });
const west = zone(3, { countries: ['US'], states: ['CA', 'or'] });
const city = zone(4, { countries: ['US'], zip_patterns: ['100*', '11201...11256', '12345'] });
const london = zone(5, { countries: ['GB'], zip_patterns: ['sw1a *'] });
const zones = [everywhere, domestic, west, city, london];

describe('the most specific zone serves the address', () => {
  test.each([
    [{ country: 'US', state: 'NY', zip: '10001' }, 4],
    [{ country: 'US', state: 'NY', zip: '10001-4321' }, 4],
    [{ country: 'US', state: 'NY', zip: '11256' }, 4],
    [{ country: 'US', state: 'CA', zip: '12345' }, 4],
    [{ country: 'US', state: 'CA', zip: '94016' }, 3],
    [{ country: 'US', state: 'OR', zip: '97201' }, 3],
    [{ country: 'US', state: 'Oregon', zip: '97201' }, 3],
    [{ country: 'US', state: null, zip: '11257' }, 2],
    [{ country: 'CA', state: 'ON', zip: '10001' }, 2],
    [{ country: 'GB', state: null, zip: 'SW1A 1AA' }, 5],
    [{ country: 'GB', state: null, zip: 'SW2 1AA' }, 1],
  ])('%j: zone %d', (address, id) => {
    expect(zoneOf(zones, address)?.id).toBe(id);
    expect(zoneOf([...zones].reverse(), address)?.id).toBe(id);
  });

  test('among equals the position decides, then the id', () => {
    const first = zone(9, { position: 0 });
    const address = { country: 'FR', state: null, zip: '75001' };
    expect(zoneOf([everywhere, first], address)?.id).toBe(9);
    expect(zoneOf([zone(8, { position: 0 }), first], address)?.id).toBe(8);
    expect(zoneOf([domestic], address)).toBeNull();
  });
});

test('the cost of each type at its limits', () => {
  expect(costOf({ type: 'flat', config: { cost: 500 } }, 0)).toBe(500);
  const brackets = [
    { from: 1000, cost: 900 },
    { from: 5000, cost: 400 },
  ];
  const bySubtotal = { type: 'by_subtotal' as const, config: { brackets } };
  expect([999, 1000, 4999, 5000, 9999].map((value) => costOf(bySubtotal, value))).toEqual([null, 900, 900, 400, 400]);
  const freeOver = { type: 'free_over' as const, config: { cost: 700, free_over: 5000 } };
  expect([0, 4999, 5000].map((value) => costOf(freeOver, value))).toEqual([700, 700, 0]);
});

describe('methods', () => {
  const method = (id: number, zone_id: number, position: number, active = true): ShippingMethod => ({
    id,
    zone_id,
    position,
    active,
    name: `Method ${id}`,
    type: 'flat',
    config: { cost: id * 100 },
  });
  const large: ShippingMethod = {
    id: 5,
    zone_id: 2,
    position: 0,
    active: true,
    name: 'Large',
    type: 'by_subtotal',
    config: { brackets: [{ from: 10_000, cost: 0 }] },
  };
  const methods = [method(1, 1, 1), method(2, 2, 2), method(3, 2, 1), method(4, 2, 0, false), large];
  const address = { country: 'CA', state: 'ON', zip: 'K1A 0B1' };
  const offered = (value: number) => eligibleMethods(zones, methods, address, value).map(({ id, cost }) => [id, cost]);

  test('the active ones of the zone are offered by position, where their brackets allow', () => {
    expect(offered(9999)).toEqual([
      [3, 300],
      [2, 200],
    ]);
    expect(offered(10_000)[0]).toEqual([5, 0]);
  });

  test('the first is taken, or the one asked for if it is offered', () => {
    expect(chooseMethod(zones, methods, address, 0)).toEqual({ id: 3, name: 'Method 3', cost: 300 });
    expect(chooseMethod(zones, methods, address, 0, 2)?.cost).toBe(200);
    for (const id of [1, 4, 5, 99]) expect(chooseMethod(zones, methods, address, 0, id)).toBeNull();
  });

  test('a zone without methods ships nothing, whatever a wider one offers', () => {
    expect(chooseMethod(zones, methods, { country: 'US', state: 'CA', zip: '94016' }, 0)).toBeNull();
    expect(chooseMethod([], methods, address, 0)).toBeNull();
  });

  test('a fresh shop, flat 0 everywhere, ships any order to any place for nothing', () => {
    const free: ShippingMethod = { ...method(1, 1, 1), type: 'flat', config: { cost: 0 } };
    const place = fc.record({
      country: fc.stringMatching(/^[A-Z]{2}$/),
      state: fc.option(fc.string()),
      zip: fc.string(),
    });
    fc.assert(
      fc.property(place, fc.nat(), (where, value) => {
        expect(chooseMethod([everywhere], [free], where, value)?.cost).toBe(0);
      }),
    );
  });
});

test('a state is asked for only where a zone names one', () => {
  expect(['US', 'CA'].map((country) => statesMatter(zones, country))).toEqual([true, false]);
  expect(statesMatter([zone(1, { states: ['CA'] })], 'DE')).toBe(true);
});
