import type { FieldError } from '../../errors.ts';
import { isCalendarDate, parseTimestamp } from '../../lib/timestamps.ts';
import type { CustomFieldPatch } from './contract.ts';
import { type CustomField, type CustomFieldRules, FILTERABLE_TYPES, MAX_LENGTHS, RULES_OF } from './definition.ts';
import type { FieldValues } from './queries.ts';

/** Merges the given parts of a definition with the old ones; adds an error for each that is wrong. */
export function definitionOf(given: CustomFieldPatch, old: FieldValues, errors: FieldError[]): FieldValues {
  const type = given.type ?? old.type;
  const kept = Object.fromEntries(Object.entries(old.rules).filter(([rule]) => isRuleOf(type, rule)));
  const field = { ...old, ...given, type, rules: given.rules ?? kept };
  field.rules = readRules(field, errors);
  const isOfProducts = field.on === 'product' || field.on === 'variant';
  if (field.filterable && !(isOfProducts && FILTERABLE_TYPES.includes(type))) {
    const message = `filterable is allowed only for the types ${FILTERABLE_TYPES.join(', ')} of products and variants`;
    errors.push({ field: 'filterable', code: 'not_allowed', message });
  }
  return field;
}

function isRuleOf(type: CustomField['type'], rule: string): boolean {
  return RULES_OF[type].some((one) => one === rule);
}

function readRules({ type, rules }: Pick<FieldValues, 'type' | 'rules'>, errors: FieldError[]): CustomFieldRules {
  const fail = (rule: keyof CustomFieldRules, code: string, text: string): void => {
    errors.push({ field: `rules.${rule}`, code, message: `rules.${rule} ${text}` });
  };
  const read: CustomFieldRules = {};
  for (const rule of ['min', 'max'] as const) {
    const bound = rules[rule];
    if (bound === undefined) continue;
    if (!isRuleOf(type, rule)) fail(rule, 'not_allowed', `is no rule of ${type}`);
    else if (type === 'date') {
      if (typeof bound === 'string' && isCalendarDate(bound)) read[rule] = bound;
      else fail(rule, 'wrong_format', 'must be a date, YYYY-MM-DD');
    } else if (type === 'moment') {
      const moment = typeof bound === 'string' ? parseTimestamp(bound) : null;
      if (moment === null) fail(rule, 'wrong_format', 'must be a moment such as 2026-01-31T09:00:00Z');
      else read[rule] = moment.toISOString();
    } else if (typeof bound === 'number') read[rule] = bound;
    else fail(rule, 'wrong_type', 'must be a number');
  }
  if (read.min !== undefined && read.max !== undefined && read.min > read.max) {
    fail('max', 'out_of_range', 'must be at least min');
  }
  if (rules.max_length !== undefined) {
    const most = type === 'text' || type === 'long_text' || type === 'url' ? MAX_LENGTHS[type] : null;
    if (most === null) fail('max_length', 'not_allowed', `is no rule of ${type}`);
    else if (rules.max_length > most) fail('max_length', 'out_of_range', `must be at most ${most}`);
    else read.max_length = rules.max_length;
  }
  if (type === 'choice') {
    if (rules.choices === undefined) fail('choices', 'required', 'is required');
    else if (new Set(rules.choices).size < rules.choices.length) fail('choices', 'duplicate', 'has a choice twice');
    else read.choices = rules.choices;
  } else if (rules.choices !== undefined) fail('choices', 'not_allowed', `is no rule of ${type}`);
  return read;
}
