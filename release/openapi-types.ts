/** TypeScript types as text, from the JSON Schemas of an OpenAPI document. A `$ref` becomes `schemas['Name']`. */
export type Schema = Record<string, unknown>;

export interface Operation {
  summary: string;
  'x-scope'?: string;
  parameters?: { name?: string; in?: string; required?: boolean; schema?: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema?: Schema }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: Schema }> }>;
}

export interface OpenapiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
  webhooks?: Record<string, { post: Operation }>;
}

/** A field's name in TypeScript syntax. */
export const nameOf = (text: string): string => (/^[A-Za-z_]\w*$/.test(text) ? text : JSON.stringify(text));

/** The TypeScript type of a JSON Schema. */
export function typeOf(schema: Schema | undefined): string {
  if (schema === undefined) return 'unknown';
  const { type, const: only, enum: values, $ref, anyOf, oneOf, allOf } = schema as Record<string, never>;
  if ($ref !== undefined) return `schemas['${String($ref).split('/').at(-1)}']`;
  if ('const' in schema) return JSON.stringify(only);
  if (values !== undefined) return (values as unknown[]).map((value) => JSON.stringify(value)).join(' | ');
  const union = (anyOf ?? oneOf) as Schema[] | undefined;
  if (union !== undefined) return union.map((one) => `(${typeOf(one)})`).join(' | ');
  if (allOf !== undefined) return (allOf as Schema[]).map((one) => `(${typeOf(one)})`).join(' & ');
  if (Array.isArray(type)) return (type as string[]).map((one) => typeOf({ ...schema, type: one })).join(' | ');
  if (type === 'array') return `(${typeOf(schema.items as Schema)})[]`;
  if (type === 'object') return objectOf(schema);
  const simple: Record<string, string> = {
    integer: 'number',
    number: 'number',
    string: 'string',
    boolean: 'boolean',
    null: 'null',
  };
  return simple[type as unknown as string] ?? 'unknown';
}

function objectOf(schema: Schema): string {
  const properties = schema.properties as Record<string, Schema> | undefined;
  if (properties === undefined) {
    const rest =
      schema.additionalProperties ?? (schema.patternProperties && Object.values(schema.patternProperties)[0]);
    return typeof rest === 'object' && rest !== null
      ? `Record<string, ${typeOf(rest as Schema)}>`
      : 'Record<string, unknown>';
  }
  const required = (schema.required ?? []) as string[];
  const lines = Object.entries(properties).map(
    ([key, value]) => `${nameOf(key)}${required.includes(key) ? '' : '?'}: ${typeOf(value)}`,
  );
  return `{ ${lines.join('; ')} }`;
}

/** The parameters in one location (`path`, `query`) as a field of an object type; null where there are none. */
export function parametersOf(operation: Operation, place: string): string | null {
  const found = (operation.parameters ?? []).filter((one) => one.in === place && one.name !== undefined);
  if (found.length === 0) return null;
  const fields = found.map((one) => {
    const [pattern] = Object.entries((one.schema?.patternProperties ?? {}) as Record<string, Schema>);
    // Members of the object are parameters, whose names begin with this.
    if (pattern !== undefined)
      return `[name: \`${pattern[0].replace(/[\^\\]/g, '')}\${string}\`]: ${typeOf(pattern[1])} | undefined`;
    return `${nameOf(one.name!)}${one.required ? '' : '?'}: ${typeOf(one.schema)}`;
  });
  return `${place}${found.some((one) => one.required) ? '' : '?'}: { ${fields.join('; ')} }`;
}
