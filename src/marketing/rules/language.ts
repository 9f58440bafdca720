import type { FieldError } from '../../errors.ts';
import { type KnownProblem, problem, wrong } from '../../lib/validation/problems.ts';
import { type HistoryField, isFilterable, kindOfMeasure, parseContactField } from './fields.ts';
import { RFM_CLASSES } from './rfm.ts';
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
   * A dotted path in the event's data, or `contact.…`. In a segment: a field of the contact or of its history, such as
   * `events.TYPE.count`, `purchases.total` or `messages.opened.last_at` (see fields.ts).
   */
  field: string;
  comparison: Comparison;
  /** An array for `in`, `not_in` and `between`; absent for `exists` and `not_exists`. */
  value?: unknown;
  /** Only with counts and `purchases.total`: limits them to the last `within_days` days. */
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
const NO_DAYS = problem('no_days', { most: MAX_DAYS });

/** The subject of rules: an event and its contact, contacts alone as in a segment, or the data of an event alone. */
export type Subject = 'event' | 'contact' | 'data';

export function isGroup(rule: Rule | RuleGroup): rule is RuleGroup {
  return Object.hasOwn(rule, 'rules');
}

/** The results for the rules checked so far. */
interface Found {
  errors: FieldError[];
  rules: number;
  /** Without the outermost. */
  groups: number;
}

/** All errors of the rules, each with its path under `path`. */
export function checkRules(rules: unknown, path: string, subject: Subject): FieldError[] {
  const found: Found = { errors: [], rules: 0, groups: 0 };
  checkGroup(rules, path, 1, subject, found);
  if (found.rules > MAX_RULES) found.errors.push(wrong(path, problem('too_many_rules', { most: MAX_RULES })));
  if (found.groups > MAX_GROUPS) found.errors.push(wrong(path, problem('too_many_groups', { most: MAX_GROUPS })));
  return found.errors;
}

function checkGroup(value: unknown, path: string, depth: number, subject: Subject, found: Found): void {
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
      checkGroup(rule, at, depth + 1, subject, found);
    } else {
      found.rules++;
      checkRule(rule, at, depth, subject, found);
    }
  }
}

function checkRule(rule: unknown, path: string, depth: number, subject: Subject, found: Found): void {
  const { errors } = found;
  if (!isRecord(rule)) {
    errors.push(wrong(path, problem('no_rule')));
    return;
  }
  const { field, comparison } = rule;
  const history = checkField(field, `${path}.field`, subject, errors);
  if (!COMPARISONS.includes(comparison as Comparison)) {
    errors.push(wrong(`${path}.comparison`, problem('no_comparison', { list: COMPARISONS.join(', ') })));
    return;
  }
  const unfit =
    history === null
      ? valueError(comparison as Comparison, rule.value)
      : historyValueError(history, comparison as Comparison, rule.value);
  if (unfit !== null) errors.push(wrong(`${path}.value`, unfit));
  checkDays(rule.within_days, `${path}.within_days`, history, errors);
  if (rule.where === undefined) return;
  if (history === null || !isFilterable(history)) {
    errors.push(wrong(`${path}.where`, problem('where_unfit')));
    return;
  }
  found.groups++;
  checkGroup(rule.where, `${path}.where`, depth + 1, 'data', found);
}

/** Returns the field if it concerns the contact's history. */
function checkField(field: unknown, path: string, subject: Subject, errors: FieldError[]): HistoryField | null {
  if (typeof field !== 'string' || field.length > 200 || !/^[^.]+(\.[^.]+){0,19}$/.test(field)) {
    errors.push(wrong(path, problem('no_path')));
    return null;
  }
  const ofContact = field.startsWith('contact.');
  if (subject === 'data' && ofContact) errors.push(wrong(path, problem('no_data_path')));
  if (subject === 'data' || (subject === 'event' && !ofContact)) return null;
  const parsed = parseContactField(field);
  if (parsed === null) errors.push(wrong(path, problem('no_contact_field', { name: field })));
  return parsed?.kind === 'history' ? parsed : null;
}

function checkDays(days: unknown, path: string, history: HistoryField | null, errors: FieldError[]): void {
  if (days === undefined) return;
  if (history === null || kindOfMeasure(history.measure) !== 'count') {
    errors.push(wrong(path, problem('days_unfit')));
  } else if (!isDays(days)) errors.push(wrong(path, NO_DAYS));
}

function isDays(value: unknown): boolean {
  const days = toNumber(value);
  return days !== null && days > 0 && days <= MAX_DAYS;
}

/** The error of the value for the comparison, or null. */
function valueError(comparison: Comparison, value: unknown): KnownProblem | null {
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

function historyValueError({ measure }: HistoryField, comparison: Comparison, value: unknown): KnownProblem | null {
  const kind = kindOfMeasure(measure);
  if (kind !== 'count' && (comparison === 'exists' || comparison === 'not_exists')) return null;
  switch (kind) {
    case 'moment':
      return momentError(comparison, value);
    case 'class':
      return classError(comparison, value);
    default:
      return numberError(comparison, value);
  }
}

/** Counts, sums and scores are compared only as numbers. */
function numberError(comparison: Comparison, value: unknown): KnownProblem | null {
  switch (comparison) {
    case 'equals':
    case 'not_equals':
    case 'greater_than':
    case 'greater_than_or_equal':
    case 'less_than':
    case 'less_than_or_equal':
      return toNumber(value) === null ? problem('no_number') : null;
    case 'between':
      return Array.isArray(value) && value.length === 2 && value.every((end) => toNumber(end) !== null)
        ? null
        : problem('no_number_ends');
    default:
      return problem('number_unfit', { comparison });
  }
}

function momentError(comparison: Comparison, value: unknown): KnownProblem | null {
  switch (comparison) {
    case 'before':
    case 'after':
    case 'within_last_days':
      return valueError(comparison, value);
    case 'between':
      return Array.isArray(value) && value.length === 2 && value.every((end) => toMoment(end) !== null)
        ? null
        : problem('no_date_ends');
    default:
      return problem('date_unfit', { comparison });
  }
}

function classError(comparison: Comparison, value: unknown): KnownProblem | null {
  const isOne = (one: unknown): boolean => RFM_CLASSES.includes(one as string);
  const among = { list: RFM_CLASSES.join(', ') };
  switch (comparison) {
    case 'equals':
    case 'not_equals':
      return isOne(value) ? null : problem('no_class', among);
    case 'in':
    case 'not_in':
      return Array.isArray(value) && value.length >= 1 && value.length <= RFM_CLASSES.length && value.every(isOne)
        ? null
        : problem('no_classes', among);
    default:
      return problem('class_unfit', { comparison });
  }
}

function isScalar(value: unknown): boolean {
  return equalityOperand(value) !== null && (typeof value !== 'string' || value.length <= MAX_TEXT);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
