import type { TObject } from 'typebox';

/**
 * Converts the texts of a query string to the types in the schema. What does not parse stays text, so that the
 * validator reports what is wrong with it. A parameter that occurs twice becomes an array, which no schema accepts.
 */
export function compileQueryReader(schema: TObject): (query: Record<string, unknown>) => Record<string, unknown> {
  const kinds = Object.entries(schema.properties).map(
    ([name, property]) => [name, (property as { type?: string }).type] as const,
  );
  return (query) => {
    const read: Record<string, unknown> = {};
    for (const [name, kind] of kinds) {
      const value = query[name];
      if (value === undefined) continue;
      read[name] = typeof value === 'string' ? coerce(kind, value) : value;
    }
    return read;
  };
}

function coerce(kind: string | undefined, text: string): unknown {
  if (kind === 'integer') return /^-?\d{1,16}$/.test(text) ? Number(text) : text;
  if (kind === 'number') return /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text;
  if (kind === 'boolean') {
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
  }
  return text;
}
