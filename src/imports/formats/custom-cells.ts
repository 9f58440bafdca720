import { type CustomField, type CustomFieldOwner, MAX_KEY_LENGTH } from '../../commerce/custom-fields/definition.ts';
import type { Fields, Kind } from './format.ts';
import { arrayIn, objectIn } from './json-cells.ts';

/** Fields for values of custom fields: `custom.material`. */
export const CUSTOM = 'custom.';

/** Whose values a file of each kind can have. */
export const OWNERS_OF: Record<Kind, readonly CustomFieldOwner[]> = {
  contacts: [],
  customers: ['customer'],
  products: ['product', 'variant'],
  orders: [],
};

const HEADER = /^custom\.([a-z][a-z0-9_]*)$/i;
/** `Metafield: custom.material [single_line_text_field]`, with or without the kind of record before it. */
const METAFIELD = /^(?:(product|variant|customer|order) )?metafield: (?:[^\s[\]]*\.)?([^\s.[\]]+)(?: \[[\w.]+\])?$/i;
/** `Material (product.metafields.custom.material)` */
const METAFIELD_OF_2023 = /\((product|variant|customer|order)\.metafields\.[^\s()]*?\.?([^\s().]+)\)$/i;
/** WooCommerce: `Meta: _material`. */
const META = /^meta: (\S+)$/i;

/** Returns the field that a column of a file is for, by its header: the owner is that of a Shopify metafield. Null for other columns. */
export function fieldOfHeader(
  header: string,
  fields: readonly CustomField[],
  owners: readonly CustomFieldOwner[],
): CustomField | null {
  const text = header.trim();
  const [, owner, key] = METAFIELD.exec(text) ?? METAFIELD_OF_2023.exec(text) ?? [];
  const named = key ?? HEADER.exec(text)?.[1] ?? META.exec(text)?.[1];
  if (named === undefined) return null;
  const wanted = keyOf(named);
  const among = owner === undefined ? owners : owners.filter((one) => one === owner.toLowerCase());
  return fields.find((field) => among.includes(field.on) && field.key === wanted) ?? null;
}

/** Other services also have hyphens and capitals in their keys. */
function keyOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+|_+$/g, '')
    .slice(0, MAX_KEY_LENGTH);
}

/** Grams and millimetres in the units that services write. */
const GRAMS: Readonly<Record<string, number>> = {
  g: 1,
  grams: 1,
  kg: 1_000,
  kilograms: 1_000,
  oz: 28.349523,
  ounces: 28.349523,
  lb: 453.59237,
  pounds: 453.59237,
};
const MILLIMETRES: Readonly<Record<string, number>> = {
  mm: 1,
  millimeters: 1,
  cm: 10,
  centimeters: 10,
  m: 1_000,
  meters: 1_000,
  in: 25.4,
  inches: 25.4,
  ft: 304.8,
  feet: 304.8,
  yd: 914.4,
  yards: 914.4,
};

/** Returns the keys of the custom fields that a row has texts for. */
export function customKeysIn(row: Fields): string[] {
  return Object.keys(row).flatMap((name) => (name.startsWith(CUSTOM) ? [name.slice(CUSTOM.length)] : []));
}

/**
 * Returns a row's values for the fields of `on`, in the form of requests: what cannot be read stays a text, which is refused. So is the
 * text for a field that was deleted in the meantime.
 */
export function customIn(
  row: Fields,
  on: CustomFieldOwner,
  fields: readonly CustomField[],
): Record<string, unknown> | undefined {
  const given: Record<string, unknown> = {};
  for (const key of customKeysIn(row)) {
    const text = row[CUSTOM + key]!;
    const named = fields.filter((field) => field.key === key);
    const field = named.find((one) => one.on === on);
    if (field !== undefined) given[key] = field.list ? listIn(field, text) : valueIn(field, text);
    else if (named.length === 0) given[key] = text;
  }
  return Object.keys(given).length === 0 ? undefined : given;
}

/** A list is JSON, as exports from here and from Shopify have it, or texts that commas separate. */
function listIn(field: CustomField, text: string): unknown[] {
  const array = arrayIn(text);
  if (array !== null)
    return array.map((one) => (typeof one === 'string' ? valueIn(field, one) : converted(field, one)));
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => valueIn(field, one));
}

function valueIn(field: CustomField, text: string): unknown {
  switch (field.type) {
    case 'integer':
    case 'decimal':
    case 'media':
    case 'product':
    case 'collection':
      return numberIn(text) ?? text;
    case 'weight':
    case 'length':
    case 'money':
      return converted(field, objectIn(text) ?? numberIn(text) ?? unitIn(text) ?? text);
    case 'boolean':
      if (/^(?:true|yes|1|ja)$/i.test(text)) return true;
      return /^(?:false|no|0|nein)$/i.test(text) ? false : text;
    default:
      return text;
  }
}

/** The decimals of a number follow a point, or a comma; thousands are not set apart. */
function numberIn(text: string): number | null {
  return /^[+-]?\d+(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : null;
}

/** `2.5 kg` */
function unitIn(text: string): object | null {
  const match = /^(\d+(?:[.,]\d+)?)\s*([a-z]+)$/i.exec(text);
  return match === null ? null : { value: numberIn(match[1]!), unit: match[2] };
}

/** Shopify's measurements `{"value": 2.5, "unit": "kg"}`, and amounts `{"amount": "5.99", "currency_code": "EUR"}`. */
function converted({ type }: CustomField, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { value: measured, unit, amount } = value as Record<string, unknown>;
  if (type === 'money') return amount === undefined ? value : (numberIn(String(amount)) ?? value);
  const factor = (type === 'weight' ? GRAMS : type === 'length' ? MILLIMETRES : {})[String(unit).toLowerCase()];
  const number = numberIn(String(measured));
  return factor === undefined || number === null ? value : Math.round(number * factor * 1e6) / 1e6;
}
