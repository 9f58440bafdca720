import type { JsonSchema } from '../../src/http/api/plain-schema.ts';

/** A body may have 1 MiB and 100,000 values; these are as close as the steps below come. */
const MAX_BYTES = 1_000_000;
const MAX_VALUES = 95_000;
const MAX_ITEMS = 1_000;

/** What a body is full of: many small values, or long texts. */
export const FILLINGS = ['values', 'texts'] as const;
export type Filling = (typeof FILLINGS)[number];

/** Returns a sample that was enlarged as far as its schema and the limits of bodies allow. */
export function largestOf(schema: JsonSchema, sample: unknown, filling: Filling): unknown {
  let room = filling === 'texts' ? MAX_BYTES : MAX_VALUES;
  for (;;) {
    const body = grown(schema, sample, filling, Math.floor(room));
    const text = JSON.stringify(body);
    // Commas separate values, and the texts here contain none.
    if (text.length <= MAX_BYTES && text.split(',').length <= MAX_VALUES) return body;
    room *= 0.8;
  }
}

/** `room` is what remains for one value: characters of its texts, or the number of values in it. */
function grown(schema: JsonSchema, sample: unknown, filling: Filling, room: number): unknown {
  if (Array.isArray(sample)) {
    const items = (schema.items ?? {}) as JsonSchema;
    if (sample.length === 0) return sample;
    const count = Math.max(1, Math.min((schema.maxItems as number | undefined) ?? MAX_ITEMS, room));
    const item = grown(items, sample[0], filling, Math.floor(room / count));
    return Array.from({ length: count }, (_, i) => numbered(item, i));
  }
  if (typeof sample === 'object' && sample !== null) return grownObject(schema, sample, filling, room);
  if (typeof sample !== 'string' || filling !== 'texts' || isBound(schema)) return sample;
  const most = (schema.maxLength as number | undefined) ?? MAX_BYTES;
  return sample.padEnd(Math.min(most, room), ' text');
}

function grownObject(schema: JsonSchema, sample: object, filling: Filling, room: number): object {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const fields = Object.entries(sample);
  const share = Math.floor(room / Math.max(1, fields.length));
  const own = fields.map(([name, value]) => [name, grown(properties[name] ?? {}, value, filling, share)] as const);
  // A free-form object accepts any fields.
  const isFree = schema.properties === undefined && schema.additionalProperties === true;
  const more = !isFree
    ? []
    : filling === 'texts'
      ? [['note', 'text '.repeat(Math.floor(room / 5))] as const]
      : Array.from({ length: room }, (_, i) => [`value_${i}`, i] as const);
  return Object.fromEntries([...own, ...more]);
}

function isBound({ format, pattern, enum: choices }: JsonSchema): boolean {
  return format !== undefined || pattern !== undefined || choices !== undefined;
}

/** Adds an e-mail address of its own to each item of a batch. */
function numbered(item: unknown, i: number): unknown {
  if (typeof item !== 'object' || item === null || !('email' in item)) return item;
  return { ...item, email: `largest-${i}@example.com` };
}
