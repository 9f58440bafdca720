import type { Rule, RuleGroup } from '../../../src/rules/language.ts';
import { isComparable, shapeOf } from './comparisons.ts';
import type { CustomField, Subject } from './fields.ts';
import { type Field, isProducts, readField, takesDays, takesWhere } from './fields.ts';

/** A rule as it is shown. Rules that the builder does not know are shown as JSON, and never changed. */
export type Shown =
  | { as: 'group'; group: RuleGroup }
  | { as: 'rule'; rule: Rule; field: Field }
  /** Its field has yet to be chosen. */
  | { as: 'new'; rule: Rule }
  | { as: 'unknown' };

const KEYS = ['field', 'comparison', 'value', 'within_days', 'where'];
const UNKNOWN: Shown = { as: 'unknown' };

export function readRule(value: unknown, subject: Subject, ofCustomers: readonly CustomField[] = []): Shown {
  if (!isRecord(value)) return UNKNOWN;
  if (Object.hasOwn(value, 'rules')) return isShownGroup(value) ? { as: 'group', group: value } : UNKNOWN;
  if (Object.keys(value).some((key) => !KEYS.includes(key))) return UNKNOWN;
  const rule = value as unknown as Rule;
  if (rule.field === '' && (subject === 'contact' || isProducts(subject))) return { as: 'new', rule };
  const field = readField(rule.field, subject, ofCustomers);
  if (field === null || !isComparable(field, rule.comparison) || !hasShape(rule)) return UNKNOWN;
  if (rule.within_days !== undefined && !(takesDays(field) && isScalar(rule.within_days))) return UNKNOWN;
  if (rule.where !== undefined && !(takesWhere(field) && isShownGroup(rule.where))) return UNKNOWN;
  return { as: 'rule', rule, field };
}

export function isShownGroup(value: unknown): value is RuleGroup {
  if (!isRecord(value) || !Array.isArray(value.rules)) return false;
  const { operator } = value;
  if (Object.keys(value).some((key) => key !== 'operator' && key !== 'rules')) return false;
  return operator === undefined || operator === 'and' || operator === 'or';
}

function hasShape({ comparison, value }: Rule): boolean {
  switch (shapeOf(comparison)) {
    case 'none':
      return true;
    case 'many':
      return Array.isArray(value) && value.every(isScalar);
    case 'pair':
      return Array.isArray(value) && value.length === 2 && value.every(isScalar);
    default:
      return value === undefined || isScalar(value);
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The values of a rule as texts. */
export function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String);
}
