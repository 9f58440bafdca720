import type { FieldError } from '../../../errors.ts';
import type { OptionValue, ProductOption } from '../contract.ts';
import { searchTextOf } from '../fields.ts';

/** Of one option. */
export const MAX_VALUES = 100;
const MAX_NAME = 255;

/** Adds an error for each name that occurs twice, and each value that occurs twice in one option. */
export function checkOptions(options: readonly ProductOption[], errors: FieldError[]): void {
  const names = options.map(({ name }) => name);
  options.forEach(({ name, values }, i) => {
    const field = `options.${i}`;
    if (names.indexOf(name) !== i) errors.push(repeated(`${field}.name`));
    values.forEach((value, k) => {
      if (values.indexOf(value) !== k) errors.push(repeated(`${field}.values.${k}`));
    });
  });
}

function repeated(field: string): FieldError {
  return { field, code: 'duplicate', message: `${field} occurs twice` };
}

/**
 * Returns a variant's values in the order of the options, of which it must have one each; null after an error. Values that an option
 * lacks are added to it.
 */
export function valuesFor(
  options: ProductOption[],
  given: readonly OptionValue[],
  field: string,
  errors: FieldError[],
): OptionValue[] | null {
  const before = errors.length;
  const fail = (code: string, what: string): void => {
    errors.push({ field, code, message: `${field} ${what}` });
  };
  for (const { name } of given) {
    if (!options.some((option) => option.name === name))
      fail('unknown', `names an option that the product lacks: ${name}`);
  }
  const values = options.flatMap((option) => {
    const own = given.filter(({ name }) => name === option.name);
    if (own.length !== 1) {
      fail(own.length === 0 ? 'required' : 'duplicate', `must have one value for ${option.name}`);
      return [];
    }
    const { value } = own[0]!;
    if (!option.values.includes(value)) option.values.push(value);
    if (option.values.length > MAX_VALUES) fail('out_of_range', `gives ${option.name} more than ${MAX_VALUES} values`);
    return [{ name: option.name, value }];
  });
  return errors.length > before ? null : values;
}

/** The option values of a variant, such as "Red / M". */
export function titleOf(values: readonly OptionValue[]): string {
  return values.map(({ value }) => value).join(' / ');
}

/** The name of a variant, such as "T-shirt – Red / M", cut at the limit of names. */
export function variantName(parent: string, title: string): string {
  return [...`${parent} – ${title}`].slice(0, MAX_NAME).join('');
}

/** The texts of a variant that follow from its parent's name and its values. */
export function variantTexts(
  parent: string,
  values: readonly OptionValue[],
): { title: string; name: string; search: string } {
  const title = titleOf(values);
  const name = variantName(parent, title);
  return { title, name, search: searchTextOf({ name, description: '' }) };
}

/** Identifies a combination of values among the variants of a parent. */
export function combinationOf(values: readonly OptionValue[]): string {
  return JSON.stringify(values.map(({ value }) => value));
}

/** How many combinations the options' values have. */
export function countCombinations(options: readonly ProductOption[]): number {
  return options.reduce((n, { values }) => n * values.length, 1);
}

/** All combinations of the options' values, the last option varying fastest. Count them first. */
export function allCombinations(options: readonly ProductOption[]): OptionValue[][] {
  return options.reduce<OptionValue[][]>(
    (before, { name, values }) => before.flatMap((one) => values.map((value) => [...one, { name, value }])),
    [[]],
  );
}
