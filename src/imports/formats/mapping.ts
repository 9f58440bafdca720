import type { Shop } from '../../commerce/shop.ts';
import { foldText } from '../../db/fold.ts';
import { CUSTOM, fieldOfHeader, OWNERS_OF } from './custom-cells.ts';
import { type Fields, type Format, PROPERTY } from './format.ts';
import { fieldsOf } from './registry.ts';

/** The field of each column; null for a column that is left out. */
export type Mapping = (string | null)[];

const MAX_PROPERTY_NAME = 100;

/** Returns a header in the form in which headers are compared. */
function plain(header: string): string {
  return foldText(header).replace(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * Guesses which column is which field from the format's headers; a field's first header precedes its others. Columns of custom values belong
 * to the shop's custom field with their key.
 */
export function guessMapping(
  format: Format,
  header: readonly string[],
  { currency, customFields }: Pick<Shop, 'currency' | 'customFields'>,
): Mapping {
  const columns = header.map(plain);
  const mapping: Mapping = header.map(() => null);
  for (const { field, headers } of format.columns) {
    for (const name of headers) {
      const wanted = plain(name.replace('{currency}', currency));
      const at = columns.findIndex((one, i) => one === wanted && mapping[i] === null);
      if (at === -1) continue;
      mapping[at] = field;
      break;
    }
  }
  for (const [i, text] of header.entries()) {
    if (mapping[i] !== null) continue;
    const custom = fieldOfHeader(text, customFields, OWNERS_OF[format.kind]);
    if (custom !== null && !mapping.includes(CUSTOM + custom.key)) mapping[i] = CUSTOM + custom.key;
  }
  if (!format.keepsOthers) return mapping;
  const named = new Set(format.columns.flatMap(({ headers }) => headers.map(plain)));
  const dropped = new Set([...named, ...(format.drops ?? []).map(plain)]);
  const taken = new Set(mapping);
  return mapping.map((field, i) => {
    if (field !== null || columns[i] === '' || dropped.has(columns[i]!)) return field;
    const property = propertyOf(header[i]!);
    // Headers that differ may give one name: each column keeps a property of its own.
    let own = property;
    for (let n = 2; taken.has(own); n++) own = `${property}_${n}`;
    taken.add(own);
    return own;
  });
}

/** Returns the property that a column becomes, named after its header: `property:favourite_colour`. */
export function propertyOf(header: string): string {
  const name = foldText(header)
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_PROPERTY_NAME);
  return PROPERTY + (name === '' ? 'column' : name);
}

/** Returns the fields for custom values that a column can be mapped to; products and variants may share one. */
export function customFieldsOf(
  { kind }: Format,
  { customFields }: Pick<Shop, 'customFields'>,
): { field: string; name: string }[] {
  const own = customFields.filter(({ on }) => OWNERS_OF[kind].includes(on));
  const names = new Map(own.map(({ key, name }) => [CUSTOM + key, name]));
  return [...names].map(([field, name]) => ({ field, name }));
}

/** Returns what is wrong with a given mapping; null if it is valid. */
export function faultOfMapping(format: Format, mapping: Mapping, shop: Pick<Shop, 'customFields'>): string | null {
  const fields = new Set([...fieldsOf(format), ...customFieldsOf(format, shop).map(({ field }) => field)]);
  const used = new Set<string>();
  for (const field of mapping) {
    if (field === null) continue;
    const isProperty = format.kind === 'contacts' && field.startsWith(PROPERTY) && field.length > PROPERTY.length;
    if (!isProperty && !fields.has(field)) return `${format.kind} have no field ${field}`;
    if (used.has(field)) return `Two columns are mapped to ${field}`;
    used.add(field);
  }
  return null;
}

/** The apostrophe with which services, and exports from here, prevent a spreadsheet from taking a text for a formula or a number. */
const FORMULA_GUARD = /^'(?=[=+\-@\t\r]|\d[\d\s./-]*$)/;

/** Returns a function that reads rows by a mapping. Empty cells have no value. */
export function fieldReader(format: Format, mapping: Mapping): (cells: readonly string[]) => Fields {
  const mapped = new Set(mapping);
  const has = (field: string): boolean => mapped.has(field);
  const targets = mapping.flatMap((field, i) => (field === null ? [] : [{ field, i }]));
  return (cells) => {
    const fields: Fields = {};
    for (const { field, i } of targets) {
      const text = cells[i]?.trim().replace(FORMULA_GUARD, '');
      if (text) fields[field] = text;
    }
    return format.read === undefined ? fields : format.read(fields, has);
  };
}
