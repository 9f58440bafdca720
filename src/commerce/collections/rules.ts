import type { FieldError } from '../../errors.ts';
import { problem, wrong } from '../../lib/validation/problems.ts';
import { checkComparison, checkTree, isGroup, isPath, type RuleGroup, valueError } from '../../rules/language.ts';
import { type RuleField, unfitFor } from './custom-rules.ts';

/** A field of a product in a rule. */
export type ProductField =
  | { kind: 'text'; column: 'name' | 'sku' | 'tax_class' }
  | { kind: 'price' }
  | { kind: 'subscriptions' }
  | { kind: 'created' }
  | { kind: 'categories' }
  | { kind: 'option'; name: string }
  | { kind: 'custom'; key: string };

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
const CUSTOM = 'custom.';

/** The field of that name; null if there is none. */
export function parseProductField(name: string): ProductField | null {
  if (name.startsWith(OPTION)) return { kind: 'option', name: name.slice(OPTION.length) };
  if (name.startsWith(CUSTOM)) return { kind: 'custom', key: name.slice(CUSTOM.length) };
  return FIELDS.get(name) ?? null;
}

/** The fields of those that have the key, of products or of variants. */
export function fieldsWithKey<Field extends RuleField>(fields: readonly Field[], key: string): Field[] {
  return fields.filter((field) => field.key === key && (field.on === 'product' || field.on === 'variant'));
}

/**
 * All errors of rules on products, each with its path under `path`.
 * @param fields all custom fields; null where they are not known, and rules on them are not checked
 */
export function checkProductRules(rules: unknown, path: string, fields: readonly RuleField[] | null): FieldError[] {
  return checkTree(rules, path, ({ field, comparison, value, within_days, where }, at, _depth, { errors }) => {
    const parsed = isPath(field) ? parseProductField(field) : null;
    const named = parsed?.kind === 'custom' && fields !== null ? fieldsWithKey(fields, parsed.key) : null;
    if (!isPath(field)) errors.push(wrong(`${at}.field`, problem('no_path')));
    else if (parsed === null || named?.length === 0) {
      errors.push(wrong(`${at}.field`, problem('no_product_field', { name: field })));
    }
    if (checkComparison(comparison, `${at}.comparison`, errors)) {
      const ofValue = valueError(comparison, value);
      const unfit =
        named !== null && named.length > 0
          ? unfitFor(named, comparison, value)
          : ofValue && { member: 'value', problem: ofValue };
      if (unfit !== null) errors.push(wrong(`${at}.${unfit.member}`, unfit.problem));
    }
    if (within_days !== undefined) errors.push(wrong(`${at}.within_days`, problem('days_unfit')));
    if (where !== undefined) errors.push(wrong(`${at}.where`, problem('where_unfit')));
  });
}

/** How often rules with `within_last_days` are applied again. */
export const REFRESH_MS = 3_600_000;

/** Returns when rules are applied again; null where they depend on no time. */
export function refreshOf(rules: RuleGroup | null, now: Date): Date | null {
  return rules !== null && isRelative(rules) ? new Date(now.getTime() + REFRESH_MS) : null;
}

/** Whether what the rules select changes as time passes. */
function isRelative(rules: RuleGroup): boolean {
  return rules.rules.some((rule) => (isGroup(rule) ? isRelative(rule) : rule.comparison === 'within_last_days'));
}

/** The keys of the custom fields that rules are on. */
export function customKeysOf(rules: RuleGroup): string[] {
  return rules.rules.flatMap((rule) => {
    if (isGroup(rule)) return customKeysOf(rule);
    const field = parseProductField(rule.field);
    return field?.kind === 'custom' ? [field.key] : [];
  });
}
