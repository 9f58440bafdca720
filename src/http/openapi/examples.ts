import type { JsonSchema } from '../api/plain-schema.ts';
import type { ExampleValues } from './example-values.ts';

/**
 * Returns a value that the schema accepts, as far as its keywords tell; null if they do not. Uses the example for the field's name unless
 * the schema forbids it; then the value is derived from the schema.
 */
export function exampleOf(schema: JsonSchema, values: Record<string, unknown>, name = ''): unknown {
  if ('const' in schema) return schema.const;
  const named = values[name];
  if (named !== undefined && accepts(schema, named)) return named;
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ('default' in schema) return schema.default;
  const variants = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (variants !== undefined) return exampleOf(variants[0]!, values, name);
  switch (typesOf(schema)[0]) {
    case 'object':
      return objectOf(schema, values);
    case 'array':
      if (schema.items === undefined) return [];
      return [exampleOf(schema.items as JsonSchema, values, name.replace(/s$/, ''))];
    case 'integer':
    case 'number':
      return Math.max(1, (schema.minimum as number | undefined) ?? 1);
    case 'boolean':
      return true;
    case 'string':
      return textOf(schema, name);
    default:
      return null;
  }
}

/** The same for a request body, without the optional fields to omit. */
export function bodyExampleOf(schema: JsonSchema, { values, omitted }: ExampleValues): unknown {
  const required = (schema.required ?? []) as string[];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const shown = properties.filter(([name]) => required.includes(name) || !omitted.includes(name));
  return exampleOf({ ...schema, properties: Object.fromEntries(shown) }, values);
}

function objectOf(schema: JsonSchema, values: Record<string, unknown>): Record<string, unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  return Object.fromEntries(properties.map(([name, inner]) => [name, exampleOf(inner, values, name)]));
}

function textOf(schema: JsonSchema, name: string): string {
  if (schema.format === 'date') return '2026-03-15';
  if (schema.format === 'date-time') return '2026-03-15T12:00:00.000Z';
  if (schema.format === 'uri') return 'https://shop.example.com/';
  const isMoment = /(_at|^at|^from|^to|_from|_to|_until|since)$/.test(name);
  const candidates = [
    ...(isMoment ? ['2026-03-15 12:00:00'] : []),
    name.replaceAll('_', ' '),
    name,
    'a',
    'A1',
    '1',
    '12:00',
  ];
  return candidates.find((candidate) => accepts(schema, candidate)) ?? name.padEnd(Number(schema.minLength ?? 0), 'x');
}

function isOfFormat(format: unknown, value: string): boolean {
  return format === 'date' ? /^\d{4}-\d\d-\d\d$/.test(value) : format === 'uri' && value.startsWith('https://');
}

function typesOf(schema: JsonSchema): string[] {
  return Array.isArray(schema.type) ? (schema.type as string[]) : [schema.type as string];
}

/** Whether the value satisfies the keywords for strings, numbers and sets. */
function accepts(schema: JsonSchema, value: unknown): boolean {
  const untyped = schema.type === undefined && schema.anyOf === undefined && schema.oneOf === undefined;
  if (untyped && schema.enum === undefined) return true;
  const types = typesOf(schema);
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if (typeof value === 'string') {
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern = '' } = schema as Record<string, never>;
    const fits = value.length >= minLength && value.length <= maxLength && new RegExp(pattern, 'u').test(value);
    return types.includes('string') && fits && (schema.format === undefined || isOfFormat(schema.format, value));
  }
  if (typeof value === 'number') {
    const { minimum = value, maximum = value } = schema as Record<string, never>;
    return (
      (types.includes('number') || (types.includes('integer') && Number.isInteger(value))) &&
      value >= minimum &&
      value <= maximum
    );
  }
  if (Array.isArray(value)) {
    if (!types.includes('array')) return false;
    const { items, maxItems = value.length, minItems = 0 } = schema as { items?: JsonSchema } & Record<string, never>;
    const fits = value.length >= minItems && value.length <= maxItems;
    return fits && (items === undefined || value.every((item) => accepts(items, item)));
  }
  if (!types.includes('object') || schema.oneOf !== undefined) return false;
  return schema.properties === undefined || hasFieldsOf(schema, Object.keys(value as object));
}

function hasFieldsOf(schema: JsonSchema, names: string[]): boolean {
  const required = (schema.required ?? []) as string[];
  return required.every((name) => names.includes(name)) && names.every((name) => name in (schema.properties as object));
}
