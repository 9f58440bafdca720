import { MAX_VARIANTS } from '../../../../../src/commerce/products/kinds.ts';
import { type Value, wordsOf } from '../../../ui/form/values.ts';

export const MOST_OPTIONS = 5;
/** A product is created with so many variants at once. */
const MOST_CREATED = 100;

export interface ProductOption {
  name: string;
  values: string[];
}

/** An option as it is typed: its values are separated by commas. */
export interface TypedOption {
  name: string;
  values: string;
}

/** Form values are texts, so all options are one text. */
export function optionsIn(value: Value): TypedOption[] {
  return typeof value === 'string' && value !== '' ? (JSON.parse(value) as TypedOption[]) : [{ name: '', values: '' }];
}

/** In the API's form, without empty rows. */
export function optionsOf(value: Value): ProductOption[] {
  return optionsIn(value)
    .map(({ name, values }) => ({ name: name.trim(), values: [...new Set(wordsOf(values))] }))
    .filter(({ name, values }) => name !== '' || values.length > 0);
}

/** The number of variants that the options make. */
export function countOf(options: readonly ProductOption[]): number {
  return options.length === 0 ? 0 : options.reduce((n, { values }) => n * values.length, 1);
}

export function isTooMany(options: readonly ProductOption[]): boolean {
  return countOf(options) > MAX_VARIANTS;
}

/** The combinations to create a product with, the last option varying fastest; the others are added afterwards. */
export function firstCombinations(options: readonly ProductOption[]): { name: string; value: string }[][] {
  const none: { name: string; value: string }[][] = [[]];
  const all = options.reduce(
    (before, { name, values }) => before.flatMap((one) => values.map((value) => [...one, { name, value }])),
    none,
  );
  return all.slice(0, MOST_CREATED);
}

/** Whether the product has more variants than it can be created with. */
export function hasMore(options: readonly ProductOption[]): boolean {
  return countOf(options) > MOST_CREATED;
}

/** Begins the names of the form's fields for the custom values of each variant, `variant.custom.material`. */
export const VARIANT_CUSTOM = 'variant.custom.';

/**
 * The field of the form for a field of the request: errors of a variant are those of the price, the stock, the custom values of variants or
 * the options.
 */
export function formFieldOf(root: string, whole: string): string {
  if (root !== 'variants') return root;
  const [, key] = /^variants\.\d+\.custom\.(\w+)/.exec(whole) ?? [];
  if (key !== undefined) return VARIANT_CUSTOM + key;
  const own = whole.split('.').at(-1);
  return own === 'price' || own === 'stock_qty' ? own : 'options';
}
