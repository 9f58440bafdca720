import type { TSchema } from 'typebox';

/** A JSON Schema as written in a document. */
export type JsonSchema = { [keyword: string]: unknown };

/**
 * Returns the schema in plain JSON Schema: without TypeBox internals and without keywords of our own validator. With `components`, in the
 * form of the API reference: a schema that leaves some checks to the service has its full form in `x-documented-as`, which is added to them
 * under its title.
 */
export function plainSchema(schema: TSchema, components?: Map<string, JsonSchema>): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      if (key.startsWith('x-') || key === '~kind') return undefined;
      if (components !== undefined && isDocumented(value)) {
        const { title, ...full } = value['x-documented-as'];
        components.set(title, plainSchema(full as TSchema, components));
        return { $ref: `#/components/schemas/${title}` };
      }
      return isCapped(value) ? { ...value, description: `More than ${value['x-cap']} is lowered to it` } : value;
    }),
  ) as JsonSchema;
}

function isCapped(value: unknown): value is { 'x-cap': number } {
  return typeof value === 'object' && value !== null && 'x-cap' in value;
}

function isDocumented(value: unknown): value is { 'x-documented-as': JsonSchema & { title: string } } {
  return typeof value === 'object' && value !== null && 'x-documented-as' in value;
}
