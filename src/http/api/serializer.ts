import fastJson from 'fast-json-stringify';
import { RawJson } from '../../lib/raw-json.ts';
import type { Endpoint } from './endpoint.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Serialises records by the compiled response schema; JSON texts from SQL pass as they are. */
export function serializerOf(endpoint: Endpoint): (data: unknown) => string {
  const schema = endpoint.data as { type?: string; items?: object };
  const isList = schema.type === 'array';
  let compiled: ((data: unknown) => string) | null = null;
  return (data) => {
    if (data instanceof RawJson) return data.text;
    // Compiled at the first use, like the validators.
    compiled ??= fastJson(isList ? schema.items! : schema);
    return isList ? `[${(data as unknown[]).map(compiled).join(',')}]` : compiled(data);
  };
}
