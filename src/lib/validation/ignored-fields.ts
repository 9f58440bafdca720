import type { TSchema } from 'typebox';
import { isDotted } from './query-reader.ts';

/** The keywords of a JSON schema that determine the fields of a value. */
export interface AnySchema {
  properties?: Record<string, AnySchema>;
  additionalProperties?: unknown;
  items?: AnySchema;
  maxItems?: number;
}

const MAX_IGNORED_NAMES = 20;

/** Maximum length of the header: clients stop reading at 8 or 16 KiB of headers. */
const MAX_IGNORED_LENGTH = 2_000;

/**
 * Returns the names of a body's fields that the schema does not know, as dotted paths fit for a header; '' when there
 * are none. Names that do not fit are left out.
 */
export function ignoredFields(schema: TSchema, value: unknown): string {
  const names: string[] = [];
  collectIgnored(schema, value, '', names);
  return headerOf(names);
}

/** The names of a query's parameters that the schema does not know, fit for a header; '' when there are none. */
export function ignoredParameters(schema: TSchema | undefined, query: Record<string, unknown>): string {
  const names: string[] = [];
  const { properties = {} } = (schema ?? {}) as AnySchema & { properties?: Record<string, { type?: string }> };
  const objects = Object.keys(properties).filter((name) => properties[name]!.type === 'object');
  const others = Object.entries(query).filter(([parameter]) => !objects.some((name) => isDotted(parameter, name)));
  collectIgnored({ properties }, Object.fromEntries(others), '', names);
  return headerOf(names);
}

function headerOf(names: readonly string[]): string {
  let list = '';
  for (const name of names) {
    const longer = list === '' ? name : `${list}, ${name}`;
    if (longer.length <= MAX_IGNORED_LENGTH) list = longer;
  }
  return list;
}

function collectIgnored(schema: AnySchema, value: unknown, prefix: string, names: string[]): void {
  if (names.length >= MAX_IGNORED_NAMES || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (schema.items?.properties === undefined && schema.items?.items === undefined) return;
    for (const [i, item] of value.entries()) collectIgnored(schema.items, item, `${prefix}${i}.`, names);
    return;
  }
  const properties = schema.properties;
  if (properties === undefined) return;
  for (const name in value) {
    // Bounds the work on a body of nothing but unknown fields.
    if (names.length >= MAX_IGNORED_NAMES) return;
    if (Object.hasOwn(properties, name)) {
      collectIgnored(properties[name]!, (value as Record<string, unknown>)[name], `${prefix}${name}.`, names);
    } else if (schema.additionalProperties === undefined) {
      names.push(encodeURIComponent(`${prefix}${name}`.slice(0, 100).toWellFormed()));
    }
  }
}

/** Removes from a body what `ignoredFields` names, so that nothing unchecked can be written. Changes the body itself. */
export function dropIgnored(schema: TSchema, value: unknown): void {
  drop(schema, value);
}

function drop({ properties, additionalProperties, items }: AnySchema, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (items) for (const item of value) drop(items, item);
    return;
  }
  if (properties === undefined) return;
  const record = value as Record<string, unknown>;
  for (const name of Object.keys(record)) {
    if (Object.hasOwn(properties, name)) drop(properties[name]!, record[name]);
    else if (additionalProperties === undefined) delete record[name];
  }
}
