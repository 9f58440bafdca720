import type { TObject } from 'typebox';

/**
 * Converts the texts of a query string to the types in the schema. What does not parse stays text, so that the
 * validator reports what is wrong with it. A parameter that occurs twice becomes an array, which no schema accepts, unless it is marked
 * with `x-repeatable`: its texts are joined by commas. A property of the type object is read from `{name}.{key}` (see `Dotted`).
 */
export function compileQueryReader(schema: TObject): (query: Record<string, unknown>) => Record<string, unknown> {
  const kinds = Object.entries(schema.properties).map(
    ([name, property]) => [name, property as { type?: string; 'x-repeatable'?: true }] as const,
  );
  return (query) => {
    const read: Record<string, unknown> = {};
    for (const [name, { type: kind, 'x-repeatable': isRepeatable }] of kinds) {
      const value = query[name] ?? (kind === 'object' ? dotted(query, name) : undefined);
      if (value === undefined) continue;
      if (Array.isArray(value) && isRepeatable) read[name] = value.join(',');
      else read[name] = typeof value === 'string' ? coerce(kind, value) : value;
    }
    return read;
  };
}

/** The texts of the parameters that begin with a name and a dot, by the rest of their names; undefined where there are none. */
function dotted(query: Record<string, unknown>, name: string): Record<string, unknown> | undefined {
  const entries = Object.entries(query).flatMap(([parameter, value]) =>
    isDotted(parameter, name)
      ? [[parameter.slice(name.length + 1), Array.isArray(value) ? value : [value]] as const]
      : [],
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Whether a parameter is one of those that are read as the object with the name. */
export function isDotted(parameter: string, name: string): boolean {
  return parameter.startsWith(`${name}.`) && parameter.length > name.length + 1;
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
