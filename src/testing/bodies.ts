import fc, { type Arbitrary } from 'fast-check';
import type { JsonSchema } from '../http/api/plain-schema.ts';

/** Generates values that a schema accepts, and values that almost fit, to send to an endpoint. */

/** Values that break programs that expect something else. */
const HOSTILE: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', [], {}, 0, -0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 53, -(2 ** 53), 2 ** 31),
  fc.constantFrom<unknown>(
    '0',
    '1e5',
    'NaN',
    'true',
    'null',
    'undefined',
    '[object Object]',
    '__proto__',
    'constructor',
  ),
  fc.constantFrom<unknown>(
    "'; drop table orders; --",
    '%',
    '\\',
    '#{7*7}',
    '{{ 7 | times: 7 }}',
    '{% for i in (1..99) %}',
    '../../etc/passwd',
  ),
  fc.constantFrom<unknown>(
    '\u0000',
    '\ud800',
    '\u202e',
    '\ufeff',
    'İ',
    'ß',
    '👩‍👩‍👧‍👦',
    'a\r\nBcc: b@example.com',
    '=cmd()',
    '<script>alert(1)</script>',
  ),
  fc.constantFrom<unknown>(
    '2026-02-30',
    '9999-12-31',
    '0000-00-00',
    '2026-03-15T12:00:00+25:00',
    '99999999999-01-01',
    '-000001-01-01T00:00:00Z',
    '2026-03-15 25:61:61',
  ),
  fc.string({ minLength: 200, maxLength: 3_000 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.array(fc.constant(1), { minLength: 250, maxLength: 300 }),
  fc.constantFrom<unknown>({ $ne: null }, { length: -1 }, { toString: null }, { valueOf: 1 }, [[[[[[]]]]]], {
    a: { b: { c: {} } },
  }),
  fc.jsonValue({ maxDepth: 3 }),
);

/**
 * Generates bodies from the schema and from samples that the endpoint accepts: some unchanged, most with one or a few
 * parts replaced by unexpected values. `ids` are those of records that exist.
 */
export function bodies(schema: JsonSchema, ids: (string | number)[], samples: unknown[]): Arbitrary<unknown> {
  const fitting = fc.oneof(valueFor(schema, ids, ''), fc.constantFrom(...samples));
  const changes = fc.array(fc.tuple(fc.nat(60), HOSTILE), { minLength: 1, maxLength: 3 });
  const near = fc
    .tuple(fitting, changes)
    .map(([value, list]) => list.reduce<unknown>((changed, [at, other]) => replaceNth(changed, at, other), value));
  return fc.oneof({ weight: 4, arbitrary: fitting }, { weight: 6, arbitrary: near }, { weight: 1, arbitrary: HOSTILE });
}

function valueFor(schema: JsonSchema, ids: (string | number)[], name: string): Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  const variants = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (variants !== undefined) return fc.oneof(...variants.map((variant) => valueFor(variant, ids, name)));
  const types = Array.isArray(schema.type) ? (schema.type as string[]) : [schema.type as string];
  return fc.oneof(...types.map((type) => ofType(type, schema, ids, name)));
}

function ofType(type: string, schema: JsonSchema, ids: (string | number)[], name: string): Arbitrary<unknown> {
  const {
    minimum = -10,
    maximum = 1_000,
    minLength = 0,
    maxLength = 40,
    minItems = 0,
    maxItems = 4,
  } = schema as Record<string, number>;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer': {
      const near = fc.integer({ min: Math.max(minimum, -1_000), max: Math.max(minimum, Math.min(maximum, 1_000)) });
      const numbers = ids.filter((id) => typeof id === 'number');
      const edges = fc.constantFrom(Math.max(minimum, -(2 ** 53) + 1), Math.min(maximum, 2 ** 53 - 1));
      return /_ids?$/.test(name) ? fc.oneof(fc.constantFrom(...numbers), near, edges) : fc.oneof(near, edges);
    }
    case 'number':
      return fc.oneof(
        fc.double({ min: minimum, max: Math.max(minimum, maximum), noNaN: true }),
        fc.integer({ min: Math.ceil(minimum), max: Math.ceil(Math.max(minimum, maximum)) }),
      );
    case 'array':
      return fc.array(valueFor((schema.items ?? { type: 'string' }) as JsonSchema, ids, name), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 4)),
      });
    case 'object':
      return objectOf(schema, ids);
    case 'string':
      return textOf(schema, name, minLength, Math.max(minLength, Math.min(maxLength, 40)));
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(schema: JsonSchema, ids: (string | number)[]): Arbitrary<unknown> {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  if (Object.keys(properties).length === 0)
    return fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
  const values = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, valueFor(inner, ids, name)]),
  );
  return fc.record(values, { requiredKeys: (schema.required ?? []) as string[] });
}

function textOf(schema: JsonSchema, name: string, minLength: number, maxLength: number): Arbitrary<string> {
  if (typeof schema.pattern === 'string') {
    // Texts are generated from the patterns without their lookaheads, so that some only almost match.
    const simple = schema.pattern.replace(/\(\?[=!][^()]*\)/g, '');
    return fc.oneof(fc.stringMatching(new RegExp(simple)), fc.string({ minLength, maxLength }));
  }
  const dates = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
  if (schema.format === 'date') return dates.map((date) => date.toISOString().slice(0, 10));
  if (schema.format === 'date-time' || /_at$|^at$/.test(name)) return dates.map((date) => date.toISOString());
  if (/email/.test(name)) return fc.emailAddress();
  if (/type/.test(name))
    return fc.oneof(
      fc.constantFrom('order_placed', 'product_viewed', 'customer_created'),
      fc.string({ minLength, maxLength }),
    );
  return fc.string({ unit: 'grapheme', minLength, maxLength });
}

/** Replaces the nth part of the value (in reading order, modulo the number of parts). */
function replaceNth(value: unknown, n: number, replacement: unknown): unknown {
  const parts = countParts(value);
  let left = n % parts;
  const walk = (part: unknown): unknown => {
    if (left-- === 0) return replacement;
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, walk(inner)]));
  };
  return walk(value);
}

function countParts(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countParts(inner), 1);
}
