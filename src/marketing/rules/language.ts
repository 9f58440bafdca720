import type { FieldError } from '../../errors.ts';
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

/** The negated comparisons, each with its positive one. They also hold where the field is missing. */
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
  /** In `in`, `not_in` and `between` an array; none for `exists` and `not_exists`. */
  value?: unknown;
  /** Only with counts and `purchases.total`: the last so many days. */
  within_days?: number;
  /** Only with `events.…` and `purchases.…`: the events whose data satisfy the rules. */
  where?: RuleGroup;
}

/** Rules of which all (`and`, the default) or any (`or`) must hold. An empty group always holds. */
export interface RuleGroup {
  operator?: 'and' | 'or';
  rules: (Rule | RuleGroup)[];
}

export const MAX_DEPTH = 5;
export const MAX_RULES = 50;
/** Below the outermost: as many as the rules can be in. */
const MAX_GROUPS = MAX_RULES * (MAX_DEPTH - 1);
const MAX_TEXT = 1_000;
const MAX_CHOICES = 500;
const MAX_DAYS = 36_500;

/** The subject of rules: an event and its contact, contacts alone as in a segment, or the data of an event alone. */
export type Subject = 'event' | 'contact' | 'data';

export function isGroup(rule: Rule | RuleGroup): rule is RuleGroup {
  return Object.hasOwn(rule, 'rules');
}

/** What is known of the rules that were checked so far. */
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
  if (found.rules > MAX_RULES) found.errors.push(wrong(path, `has more than ${MAX_RULES} rules`));
  if (found.groups > MAX_GROUPS) found.errors.push(wrong(path, `has more than ${MAX_GROUPS} groups`));
  return found.errors;
}

function checkGroup(value: unknown, path: string, depth: number, subject: Subject, found: Found): void {
  const { errors } = found;
  if (!isRecord(value)) {
    errors.push(wrong(path, 'must be an object with operator and rules'));
    return;
  }
  if (depth > MAX_DEPTH) {
    errors.push(wrong(path, `is nested more than ${MAX_DEPTH} deep`));
    return;
  }
  const { operator, rules } = value;
  if (operator !== undefined && operator !== 'and' && operator !== 'or') {
    errors.push(wrong(`${path}.operator`, 'must be and or or'));
  }
  if (!Array.isArray(rules)) {
    errors.push(wrong(`${path}.rules`, 'must be an array'));
    return;
  }
  for (const [i, rule] of rules.entries()) {
    // Stops at input that is far too large.
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
    errors.push(wrong(path, 'must be an object with field, comparison and value'));
    return;
  }
  const { field, comparison } = rule;
  const history = checkField(field, `${path}.field`, subject, errors);
  if (!COMPARISONS.includes(comparison as Comparison)) {
    errors.push(wrong(`${path}.comparison`, `must be one of ${COMPARISONS.join(', ')}`));
    return;
  }
  const problem =
    history === null
      ? valueError(comparison as Comparison, rule.value)
      : historyValueError(history, comparison as Comparison, rule.value);
  if (problem !== null) errors.push(wrong(`${path}.value`, problem));
  checkDays(rule.within_days, `${path}.within_days`, history, errors);
  if (rule.where === undefined) return;
  if (history === null || !isFilterable(history)) {
    errors.push(wrong(`${path}.where`, 'goes only with counts, amounts and dates of events'));
    return;
  }
  found.groups++;
  checkGroup(rule.where, `${path}.where`, depth + 1, 'data', found);
}

/** Returns the field where it is about the contact's history. */
function checkField(field: unknown, path: string, subject: Subject, errors: FieldError[]): HistoryField | null {
  if (typeof field !== 'string' || field.length > 200 || !/^[^.]+(\.[^.]+){0,19}$/.test(field)) {
    errors.push(wrong(path, 'must be a dotted path'));
    return null;
  }
  const ofContact = field.startsWith('contact.');
  if (subject === 'data' && ofContact) errors.push(wrong(path, 'must be a path in the data of the event'));
  if (subject === 'data' || (subject === 'event' && !ofContact)) return null;
  const parsed = parseContactField(field);
  if (parsed === null) errors.push(wrong(path, `is no field of a contact: ${field}`));
  return parsed?.kind === 'history' ? parsed : null;
}

function checkDays(days: unknown, path: string, history: HistoryField | null, errors: FieldError[]): void {
  if (days === undefined) return;
  if (history === null || kindOfMeasure(history.measure) !== 'count') {
    errors.push(wrong(path, 'goes only with counts and amounts of events, purchases and messages'));
  } else if (!isDays(days)) errors.push(wrong(path, `must be a number over 0, at most ${MAX_DAYS}`));
}

function isDays(value: unknown): boolean {
  const days = toNumber(value);
  return days !== null && days > 0 && days <= MAX_DAYS;
}

/** The error of the value for the comparison, or null. */
function valueError(comparison: Comparison, value: unknown): string | null {
  switch (comparison) {
    case 'exists':
    case 'not_exists':
      return null;
    case 'equals':
    case 'not_equals':
      return isScalar(value) ? null : 'must be a text, a number or a truth value';
    case 'in':
    case 'not_in':
      return Array.isArray(value) && value.length >= 1 && value.length <= MAX_CHOICES && value.every(isScalar)
        ? null
        : `must be an array of 1 to ${MAX_CHOICES} texts or numbers`;
    case 'contains':
    case 'not_contains':
    case 'starts_with':
    case 'ends_with': {
      const text = textOperand(value);
      return text !== null && text !== '' && text.length <= MAX_TEXT ? null : 'must be a text';
    }
    case 'between': {
      const ends = Array.isArray(value) && value.length === 2 ? value.map(orderOperand) : [];
      return ends[0]?.kind !== undefined && ends[0].kind === ends[1]?.kind
        ? null
        : 'must be an array of two numbers or two dates';
    }
    case 'before':
    case 'after':
      return toMoment(value) === null ? 'must be a date, YYYY-MM-DD or YYYY-MM-DD HH:MM:SS' : null;
    case 'within_last_days':
      return isDays(value) ? null : `must be a number over 0, at most ${MAX_DAYS}`;
    default:
      return orderOperand(value) === null ? 'must be a number or a date' : null;
  }
}

function historyValueError({ measure }: HistoryField, comparison: Comparison, value: unknown): string | null {
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
function numberError(comparison: Comparison, value: unknown): string | null {
  switch (comparison) {
    case 'equals':
    case 'not_equals':
    case 'greater_than':
    case 'greater_than_or_equal':
    case 'less_than':
    case 'less_than_or_equal':
      return toNumber(value) === null ? 'must be a number' : null;
    case 'between':
      return Array.isArray(value) && value.length === 2 && value.every((end) => toNumber(end) !== null)
        ? null
        : 'must be an array of two numbers';
    default:
      return `cannot be compared with a number by ${comparison}`;
  }
}

function momentError(comparison: Comparison, value: unknown): string | null {
  switch (comparison) {
    case 'before':
    case 'after':
    case 'within_last_days':
      return valueError(comparison, value);
    case 'between':
      return Array.isArray(value) && value.length === 2 && value.every((end) => toMoment(end) !== null)
        ? null
        : 'must be an array of two dates';
    default:
      return `cannot be compared with a date by ${comparison}`;
  }
}

function classError(comparison: Comparison, value: unknown): string | null {
  const isOne = (one: unknown): boolean => RFM_CLASSES.includes(one as string);
  const among = `one of ${RFM_CLASSES.join(', ')}`;
  switch (comparison) {
    case 'equals':
    case 'not_equals':
      return isOne(value) ? null : `must be ${among}`;
    case 'in':
    case 'not_in':
      return Array.isArray(value) && value.length >= 1 && value.length <= RFM_CLASSES.length && value.every(isOne)
        ? null
        : `must be an array of ${among}`;
    default:
      return `cannot be compared with a class by ${comparison}`;
  }
}

function isScalar(value: unknown): boolean {
  return equalityOperand(value) !== null && (typeof value !== 'string' || value.length <= MAX_TEXT);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(field: string, what: string): FieldError {
  return { field, code: 'invalid', message: `${field} ${what}` };
}
