import type { Endpoint } from '../api/endpoint.ts';
import { type JsonSchema, plainSchema } from '../api/plain-schema.ts';
import { pascal, singular } from './names.ts';

/** Named schemas of the document: their names by schema text, and their full schemas. */
export interface Models {
  named: Map<string, string>;
  components: Map<string, JsonSchema>;
}

/**
 * Returns names for records that more than one endpoint returns, by the text of their schema. A record is named after the resource in the
 * first path that returns it.
 */
export function modelsOf(endpoints: readonly Endpoint[], components: Map<string, JsonSchema>): Map<string, string> {
  const uses = new Map<string, string[]>();
  for (const endpoint of endpoints) {
    const data = plainSchema(endpoint.data, components);
    const text = JSON.stringify(data.type === 'array' ? data.items : data);
    uses.set(text, [...(uses.get(text) ?? []), endpoint.path]);
  }
  const models = new Map<string, string>();
  const taken = new Set<string>();
  for (const [text, [path, second]] of uses) {
    if (second === undefined || (JSON.parse(text) as JsonSchema).type !== 'object') continue;
    const segments = path!.split('/').filter((segment) => segment !== '' && !segment.startsWith('{'));
    const name = singular(pascal(segments.at(-1)!));
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}${n}`;
    taken.add(free);
    models.set(text, free);
  }
  return models;
}

/** Returns a reference to the schema if the document names it, otherwise the schema. */
export function modelOr(schema: JsonSchema, models: Models): JsonSchema {
  const name = models.named.get(JSON.stringify(schema));
  return name === undefined ? schema : { $ref: `#/components/schemas/${name}` };
}
