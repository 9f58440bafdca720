import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventInput } from './event.ts';
import { canonicalJson, eventKey } from './keys.ts';

const json = fc.jsonValue({ maxDepth: 4 });

/** The same value with the keys of every object in another order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reordered(inner)]),
  );
}

describe('canonical JSON', () => {
  it('is equal for values that differ in the order of keys, and parses to the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        expect(canonicalJson(reordered(plain))).toBe(canonicalJson(plain));
        expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
      }),
    );
  });

  it('differs for different values', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const [one, two] = [a, b].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        fc.pre(JSON.stringify(reordered(one)) !== JSON.stringify(reordered(two)));
        const equal = canonicalJson(one) === canonicalJson(two);
        if (equal) expect(one).toEqual(two);
      }),
    );
  });
});

describe('the key of an event', () => {
  const event = (more: Partial<EventInput>): EventInput => ({
    eventType: 'order_placed',
    data: { order_id: '1', email: 'a@example.com', total: 1 },
    source: 'api',
    ...more,
  });

  it('is a UUID, the same from the API and the webhook, and different for events of the product itself', () => {
    const keys = (['api', 'webhook', 'flow', 'shop'] as const).map(
      (source) => eventKey(event({ source, eventId: 'x' })).key,
    );
    expect(keys[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(3);
    // The object of the event is the same, whoever sends it.
    expect(eventKey(event({ source: 'shop' })).key).toBe(eventKey(event({ source: 'api' })).key);
  });

  it('differs for every other id', () => {
    const ids = [
      ...['1', '01', '001', '10', 'a-1', 'a-01', 'a-10', 'a-', 'a', '0', '00', '-1', '1e5', '1 ', '1\n', '\u0661'],
      ...['999999999999', '1000000000000', '1999999999999', 'x999999999999', 'x1000000000000', 'x1999999999999'],
      ...['9007199254740992', '9007199254740993', '19007199254740993', '119007199254740993'],
    ];
    expect(new Set(ids.map((eventId) => eventKey(event({ eventId })).key)).size).toBe(ids.length);
    // With and without zeros at the start of the number at the end of the id.
    const digits = fc.string({ unit: fc.constantFrom('0', '1', '9'), minLength: 1, maxLength: 20 });
    const zeros = fc.nat(3).map((n) => '0'.repeat(n));
    fc.assert(
      fc.property(digits, zeros, zeros, fc.boolean(), (number, before, instead, extra) => {
        const [a, b] = [`till-${before}${number}`, `till-${instead}${extra ? '1' : ''}${number}`];
        const [one, two] = [a, b].map((eventId) => eventKey(event({ eventId })).key);
        expect(one === two).toBe(a === b);
      }),
      { numRuns: 1_000 },
    );
  });

  it('increases with ids that increase', () => {
    const number = fc.integer({ min: 1, max: 999_999_999_999 });
    fc.assert(
      fc.property(fc.string(), number, number, (before, a, b) => {
        fc.pre(!/[1-9]\d*$/.test(before) && a < b);
        const [one, two] = [a, b].map((n) => eventKey(event({ eventId: before + n })).key);
        expect(one! < two!).toBe(true);
        const natural = [a, b].map((n) => eventKey(event({ data: { order_id: before + n } })).key);
        expect(natural[0]! < natural[1]!).toBe(true);
      }),
    );
  });

  it('is a whole hash for an e-mail address', () => {
    const [one, two] = ['a@example.co1', 'a@example.co2'].map(
      (email) => eventKey(event({ eventType: 'customer_created', data: { email } })).key,
    );
    expect(one!.slice(0, 22)).not.toBe(two!.slice(0, 22));
  });

  it('never equals a key of another kind', () => {
    const natural = eventKey(event({})).key;
    fc.assert(
      fc.property(fc.string(), (eventId) => {
        expect(eventKey(event({ eventId })).key).not.toBe(natural);
      }),
    );
  });
});
