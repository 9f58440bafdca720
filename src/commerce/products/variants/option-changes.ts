import type { FieldError } from '../../../errors.ts';
import type { OptionValue, ProductOption } from '../contract.ts';
import type { ChangedOption } from './contract.ts';
import { checkOptions } from './options.ts';

/**
 * Returns the options of a parent after a change, which lists all of them in their new order. Adds an error for an option that is new and
 * has no `default`, an option or value to be renamed that does not exist, and names and values that would occur twice.
 */
export function changedOptions(
  before: readonly ProductOption[],
  changes: readonly ChangedOption[],
  errors: FieldError[],
): ProductOption[] {
  const after = changes.map(({ name, new_name, values, renames = [], default: value }, i) => {
    const field = `options.${i}`;
    const fail = (at: string, code: string, what: string): void => {
      errors.push({ field: `${field}.${at}`, code, message: `${field}.${at} ${what}` });
    };
    const old = before.find((option) => option.name === name);
    if (old === undefined) {
      if (new_name !== undefined) fail('new_name', 'unknown', `renames an option that the product lacks: ${name}`);
      if (value === undefined) fail('default', 'required', 'is required for a new option');
      else if (!values.includes(value)) fail('default', 'unknown', 'must be one of the values');
    }
    renames.forEach((rename, k) => {
      if (!(old?.values ?? []).includes(rename.value)) {
        fail(`renames.${k}.value`, 'unknown', `is no value of ${name}`);
      }
      if (!values.includes(rename.new_value)) fail(`renames.${k}.new_value`, 'unknown', 'must be one of the values');
    });
    return { name: new_name ?? name, values: [...values] };
  });
  checkOptions(after, errors);
  return after;
}

/** Returns a variant's values after the change, in the order of the changed options. */
export function changedValues(changes: readonly ChangedOption[], before: readonly OptionValue[]): OptionValue[] {
  return changes.map(({ name, new_name, renames = [], default: value }) => {
    const old = before.find((one) => one.name === name)?.value ?? value!;
    return { name: new_name ?? name, value: renames.find((rename) => rename.value === old)?.new_value ?? old };
  });
}
