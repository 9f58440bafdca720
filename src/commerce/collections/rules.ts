import type { FieldError } from '../../errors.ts';
import { problem, wrong } from '../../lib/validation/problems.ts';
import { checkComparison, checkTree, isGroup, isPath, type RuleGroup, valueError } from '../../rules/language.ts';

/** A field of a product in a rule. */
export type ProductField =
  | { kind: 'text'; column: 'name' | 'sku' | 'tax_class' }
  | { kind: 'price' }
  | { kind: 'subscriptions' }
  | { kind: 'created' }
  | { kind: 'categories' }
  | { kind: 'option'; name: string };

const FIELDS: ReadonlyMap<string, ProductField> = new Map<string, ProductField>([
  ['name', { kind: 'text', column: 'name' }],
  ['sku', { kind: 'text', column: 'sku' }],
  ['tax_class', { kind: 'text', column: 'tax_class' }],
  ['price', { kind: 'price' }],
  ['subscription_enabled', { kind: 'subscriptions' }],
  ['created_at', { kind: 'created' }],
  ['categories', { kind: 'categories' }],
]);
const OPTION = 'option.';

/** The field of that name; null if there is none. */
export function parseProductField(name: string): ProductField | null {
  if (name.startsWith(OPTION)) return { kind: 'option', name: name.slice(OPTION.length) };
  return FIELDS.get(name) ?? null;
}

/** All errors of rules on products, each with its path under `path`. */
export function checkProductRules(rules: unknown, path: string): FieldError[] {
  return checkTree(rules, path, ({ field, comparison, value, within_days, where }, at, _depth, { errors }) => {
    if (!isPath(field)) errors.push(wrong(`${at}.field`, problem('no_path')));
    else if (parseProductField(field) === null) {
      errors.push(wrong(`${at}.field`, problem('no_product_field', { name: field })));
    }
    if (checkComparison(comparison, `${at}.comparison`, errors)) {
      const unfit = valueError(comparison, value);
      if (unfit !== null) errors.push(wrong(`${at}.value`, unfit));
    }
    if (within_days !== undefined) errors.push(wrong(`${at}.within_days`, problem('days_unfit')));
    if (where !== undefined) errors.push(wrong(`${at}.where`, problem('where_unfit')));
  });
}

/** Whether what the rules select changes as time passes. */
export function isRelative(rules: RuleGroup): boolean {
  return rules.rules.some((rule) => (isGroup(rule) ? isRelative(rule) : rule.comparison === 'within_last_days'));
}
