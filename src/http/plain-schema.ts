import type { TSchema } from 'typebox';

/** A JSON Schema as it stands in a document. */
export type JsonSchema = { [keyword: string]: unknown };

/** The schema as JSON Schema knows it: without what TypeBox remembers and without the keywords of our own validator. */
export function plainSchema(schema: TSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      if (key.startsWith('x-') || key === '~kind') return undefined;
      return isCapped(value) ? { ...value, description: `More than ${value['x-cap']} is lowered to it` } : value;
    }),
  ) as JsonSchema;
}

function isCapped(value: unknown): value is { 'x-cap': number } {
  return typeof value === 'object' && value !== null && 'x-cap' in value;
}
