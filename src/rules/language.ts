import type { FieldError } from '../errors.ts';
import { type KnownProblem, problem, wrong } from '../lib/validation/problems.ts';
import { equalityOperand, orderOperand, textOperand, toMoment, toNumber } from './values.ts';

export const COMPARISONS = [
  'equals',
  'not_equals',
  'greater_than',
  'greater_than_or_equal',
  'less_than',
  'less_than_or_equal',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'in',
  'not_in',
  'exists',
  'not_exists',
  'between',
  'before',
  'after',
  'within_last_days',
] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** The negated comparisons, each with its positive one. They also hold if the field is missing. */
export const DENIES: Partial<Record<Comparison, Comparison>> = {
  not_equals: 'equals',
  not_contains: 'contains',
  not_in: 'in',
  not_exists: 'exists',
};

export interface Rule {
  /**
   * What the subject of the rules has: see marketing/rules/fields.ts for events and contacts, commerce/collections/rules.ts for products.
   */
  field: string;
  comparison: Comparison;
  /** An array for `in`, `not_in` and `between`; absent for `exists` and `not_exists`. */
  value?: unknown;
  /** Only with counts, amounts and what was bought: limits them to the last `within_days` days. */
  within_days?: number;
  /** Only with `events.…` and `purchases.…`: limits them to events whose data satisfy these rules. */
  where?: RuleGroup;
}

/** Rules of which all (`and`, the default) or any (`or`) must hold. An empty group always holds. */
export interface RuleGroup {
  operator?: 'and' | 'or';
  rules: (Rule | RuleGroup)[];
}

export const MAX_DEPTH = 5;
export const MAX_RULES = 50;
/** Not counting the outermost one: as many groups as can contain the rules. */
const MAX_GROUPS = MAX_RULES * (MAX_DEPTH - 1);
const MAX_TEXT = 1_000;
const MAX_CHOICES = 500;
const MAX_DAYS = 36_500;
export const NO_DAYS = problem('no_days', { most: MAX_DAYS });

export function isGroup(rule: Rule | RuleGroup): rule is RuleGroup {
  return Object.hasOwn(rule, 'rules');
}

/** The results for the rules checked so far. */
export interface Found {
  errors: FieldError[];
  rules: number;
  /** Without the outermost. */
  groups: number;
}

/** Checks a rule at the path; adds its errors, and what it contains. */
export type CheckRule = (rule: Record<string, unknown>, path: string, depth: number, found: Found) => void;

/** All errors of the rules, each with its path under `path`. */
export function checkTree(rules: unknown, path: string, checkRule: CheckRule): FieldError[] {
  const found: Found = { errors: [], rules: 0, groups: 0 };
  checkGroup(rules, path, 1, checkRule, found);
  if (found.rules > MAX_RULES) found.errors.push(wrong(path, problem('too_many_rules', { most: MAX_RULES })));
  if (found.groups > MAX_GROUPS) found.errors.push(wrong(path, problem('too_many_groups', { most: MAX_GROUPS })));
  return found.errors;
}

export function checkGroup(value: unknown, path: string, depth: number, checkRule: CheckRule, found: Found): void {
  const { errors } = found;
  if (!isRecord(value)) {
    errors.push(wrong(path, problem('no_group')));
    return;
  }
  if (depth > MAX_DEPTH) {
    errors.push(wrong(path, problem('too_deep', { most: MAX_DEPTH })));
    return;
  }
  const { operator, rules } = value;
  if (operator !== undefined && operator !== 'and' && operator !== 'or') {
    errors.push(wrong(`${path}.operator`, problem('no_operator')));
  }
  if (!Array.isArray(rules)) {
    errors.push(wrong(`${path}.rules`, problem('no_array')));
    return;
  }
  for (const [i, rule] of rules.entries()) {
    // Stop early if the input is far too large.
    if (found.rules > MAX_RULES || found.groups > MAX_GROUPS) break;
    const at = `${path}.rules.${i}`;
    if (isRecord(rule) && Object.hasOwn(rule, 'rules')) {
      found.groups++;
      checkGroup(rule, at, depth + 1, checkRule, found);
    } else {
      found.rules++;
      if (isRecord(rule)) checkRule(rule, at, depth, found);
      else errors.push(wrong(at, problem('no_rule')));
    }
  }
}

/** Returns whether the comparison is known; otherwise adds an error. */
export function checkComparison(comparison: unknown, path: string, errors: FieldError[]): comparison is Comparison {
  const isKnown = COMPARISONS.includes(comparison as Comparison);
  if (!isKnown) errors.push(wrong(path, problem('no_comparison', { list: COMPARISONS.join(', ') })));
  return isKnown;
}

/** Returns whether the field is a path. */
export function isPath(field: unknown): field is string {
  return typeof field === 'string' && field.length <= 200 && /^[^.]+(\.[^.]+){0,19}$/.test(field);
}

export function isDays(value: unknown): boolean {
  const days = toNumber(value);
  return days !== null && days > 0 && days <= MAX_DAYS;
}

/** The error of the value for the comparison, or null. */
export function valueError(comparison: Comparison, value: unknown): KnownProblem | null {
  switch (comparison) {
    case 'exists':
    case 'not_exists':
      return null;
    case 'equals':
    case 'not_equals':
      return isScalar(value) ? null : problem('no_scalar');
    case 'in':
    case 'not_in':
      return Array.isArray(value) && value.length >= 1 && value.length <= MAX_CHOICES && value.every(isScalar)
        ? null
        : problem('no_choices', { most: MAX_CHOICES });
    case 'contains':
    case 'not_contains':
    case 'starts_with':
    case 'ends_with': {
      const text = textOperand(value);
      return text !== null && text !== '' && text.length <= MAX_TEXT ? null : problem('no_text');
    }
    case 'between': {
      const ends = Array.isArray(value) && value.length === 2 ? value.map(orderOperand) : [];
      return ends[0]?.kind !== undefined && ends[0].kind === ends[1]?.kind ? null : problem('no_ends');
    }
    case 'before':
    case 'after':
      return toMoment(value) === null ? problem('no_moment') : null;
    case 'within_last_days':
      return isDays(value) ? null : NO_DAYS;
    default:
      return orderOperand(value) === null ? problem('no_number_or_date') : null;
  }
}

function isScalar(value: unknown): boolean {
  return equalityOperand(value) !== null && (typeof value !== 'string' || value.length <= MAX_TEXT);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
