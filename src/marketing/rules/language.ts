import Type from 'typebox';
import type { FieldError } from '../../errors.ts';
import { parseContactField } from './fields.ts';
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

/** The negatives, each with the comparison that it denies: they hold also where the field is missing. */
export const DENIES: Partial<Record<Comparison, Comparison>> = {
  not_equals: 'equals',
  not_contains: 'contains',
  not_in: 'in',
  not_exists: 'exists',
};

export interface Rule {
  /**
   * A dotted path in the event's data, or `contact.…`. In a segment: a field of the contact, `events.TYPE.count`,
   * `purchases.count` or `purchases.total` (see fields.ts).
   */
  field: string;
  comparison: Comparison;
  /** In `in`, `not_in` and `between` an array; none for `exists` and `not_exists`. */
  value?: unknown;
  /** Only with `events.…` and `purchases.…`: what happened in the last so many days. */
  within_days?: number;
}

/** Rules of which all (`and`, where absent) or any (`or`) must hold. A group without rules holds always. */
export interface RuleGroup {
  operator?: 'and' | 'or';
  rules: (Rule | RuleGroup)[];
}

export const MAX_DEPTH = 5;
export const MAX_RULES = 50;
const MAX_TEXT = 1_000;
const MAX_CHOICES = 500;
const MAX_DAYS = 36_500;

/** The shape that a body's schema can tell; `checkRules` says the rest. */
export const RuleTree = Type.Unsafe<RuleGroup>({
  type: 'object',
  required: ['rules'],
  properties: {
    operator: { type: 'string', enum: ['and', 'or'], description: '`and` where absent' },
    rules: {
      type: 'array',
      maxItems: MAX_RULES,
      description: `Rules {field, comparison, value}, or groups like this one: ${MAX_DEPTH} levels and ${MAX_RULES} rules at most. Comparisons: ${COMPARISONS.join(', ')}.`,
      items: { type: 'object', additionalProperties: true },
    },
  },
  additionalProperties: true,
});

/** What the rules are about: an event (and its contact), or contacts alone as in a segment. */
export type Subject = 'event' | 'contact';

export function isGroup(rule: Rule | RuleGroup): rule is RuleGroup {
  return Object.hasOwn(rule, 'rules');
}

/** Everything that is wrong with the rules, each with its path under `path`. */
export function checkRules(rules: unknown, path: string, subject: Subject): FieldError[] {
  const errors: FieldError[] = [];
  const count = checkGroup(rules, path, 1, subject, errors);
  if (count > MAX_RULES) errors.push(wrong(path, `has more than ${MAX_RULES} rules`));
  return errors;
}

/** Gives the number of rules below. */
function checkGroup(value: unknown, path: string, depth: number, subject: Subject, errors: FieldError[]): number {
  if (!isRecord(value)) {
    errors.push(wrong(path, 'must be an object with operator and rules'));
    return 0;
  }
  if (depth > MAX_DEPTH) {
    errors.push(wrong(path, `is nested more than ${MAX_DEPTH} deep`));
    return 0;
  }
  const { operator, rules } = value;
  if (operator !== undefined && operator !== 'and' && operator !== 'or') {
    errors.push(wrong(`${path}.operator`, 'must be and or or'));
  }
  if (!Array.isArray(rules)) {
    errors.push(wrong(`${path}.rules`, 'must be an array'));
    return 0;
  }
  let count = 0;
  for (const [i, rule] of rules.entries()) {
    // What is far too much is not looked at to its end.
    if (count > MAX_RULES) break;
    const at = `${path}.rules.${i}`;
    if (isRecord(rule) && Object.hasOwn(rule, 'rules')) count += checkGroup(rule, at, depth + 1, subject, errors);
    else {
      count++;
      checkRule(rule, at, subject, errors);
    }
  }
  return count;
}

function checkRule(rule: unknown, path: string, subject: Subject, errors: FieldError[]): void {
  if (!isRecord(rule)) {
    errors.push(wrong(path, 'must be an object with field, comparison and value'));
    return;
  }
  const { field, comparison } = rule;
  const counted = checkField(field, `${path}.field`, subject, errors);
  if (!COMPARISONS.includes(comparison as Comparison)) {
    errors.push(wrong(`${path}.comparison`, `must be one of ${COMPARISONS.join(', ')}`));
    return;
  }
  const complaint = counted
    ? countComplaint(comparison as Comparison, rule.value)
    : valueComplaint(comparison as Comparison, rule.value);
  if (complaint !== null) errors.push(wrong(`${path}.value`, complaint));
  checkDays(rule.within_days, `${path}.within_days`, counted, errors);
}

/** Gives whether the field is a count or a sum. */
function checkField(field: unknown, path: string, subject: Subject, errors: FieldError[]): boolean {
  if (typeof field !== 'string' || field.length > 200 || !/^[^.]+(\.[^.]+){0,19}$/.test(field)) {
    errors.push(wrong(path, 'must be a dotted path'));
    return false;
  }
  if (subject === 'event' && !field.startsWith('contact.')) return false;
  const parsed = parseContactField(field, subject === 'contact');
  if (parsed === null) errors.push(wrong(path, `is no field of a contact: ${field}`));
  return parsed?.kind === 'count' || parsed?.kind === 'total';
}

function checkDays(days: unknown, path: string, counted: boolean, errors: FieldError[]): void {
  if (days === undefined) return;
  if (!counted) errors.push(wrong(path, 'goes only with events and purchases'));
  else if (!isDays(days)) errors.push(wrong(path, `must be a number over 0, at most ${MAX_DAYS}`));
}

function isDays(value: unknown): boolean {
  const days = toNumber(value);
  return days !== null && days > 0 && days <= MAX_DAYS;
}

/** What is wrong with the value for the comparison, or null. */
function valueComplaint(comparison: Comparison, value: unknown): string | null {
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

/** Counts and sums are numbers, and compared as such only. */
function countComplaint(comparison: Comparison, value: unknown): string | null {
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
      return `cannot be asked of a count with ${comparison}`;
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
