import {
  type Comparison,
  isGroup,
  MAX_DEPTH,
  MAX_RULES,
  type Rule,
  type RuleGroup,
} from '../../../src/rules/language.ts';
import { comparisonsOf, shapeOf, type ValueType, valueTypeOf } from './comparisons.ts';
import type { CustomField, Subject } from './fields.ts';
import { type Field, readField, takesDays, takesWhere } from './fields.ts';

/** Edits of rules. Each returns a new object, which shares its unchanged parts with the old one. */

export const NO_RULES: RuleGroup = { operator: 'and', rules: [] };
const DAYS = 30;

/** A rule without a field yet. */
export function newRule(): Rule {
  return { field: '', comparison: 'equals', value: '' };
}

export function newGroup(): RuleGroup {
  return { operator: 'or', rules: [newRule()] };
}

export function withOperator(group: RuleGroup, operator: 'and' | 'or'): RuleGroup {
  return { ...group, operator };
}

export function withAdded(group: RuleGroup, rule: Rule | RuleGroup): RuleGroup {
  return { ...group, rules: [...group.rules, rule] };
}

export function withRule(group: RuleGroup, index: number, rule: Rule | RuleGroup): RuleGroup {
  return { ...group, rules: group.rules.with(index, rule) };
}

export function without(group: RuleGroup, index: number): RuleGroup {
  return { ...group, rules: group.rules.toSpliced(index, 1) };
}

/** Changes the field of a rule; keeps what fits both fields. */
export function withField(rule: Rule, name: string, subject: Subject, ofCustomers: readonly CustomField[] = []): Rule {
  const field = readField(name, subject, ofCustomers);
  const before = readField(rule.field, subject, ofCustomers);
  if (field === null) return { field: name, comparison: 'equals', value: '' };
  if (before?.kind === field.kind && before.source === field.source && before.measure === field.measure) {
    return { ...rule, field: name };
  }
  const offered = comparisonsOf(field);
  const stays = before?.kind === field.kind && offered.includes(rule.comparison);
  const comparison = stays ? rule.comparison : offered[0]!;
  const next: Rule = { field: name, comparison };
  if (shapeOf(comparison) !== 'none') next.value = stays ? rule.value : initialValue(field, comparison);
  if (rule.within_days !== undefined && takesDays(field)) next.within_days = rule.within_days;
  // The data of one event may lack the fields of another.
  if (rule.where !== undefined && takesWhere(field) && before?.source === field.source) next.where = rule.where;
  return next;
}

export function withComparison(
  rule: Rule,
  comparison: Comparison,
  subject: Subject,
  ofCustomers: readonly CustomField[] = [],
): Rule {
  const field = readField(rule.field, subject, ofCustomers);
  const { value, ...rest } = rule;
  const shape = shapeOf(comparison);
  if (field === null || shape === 'none') return { ...rest, comparison };
  const same = valueTypeOf(field, comparison) === valueTypeOf(field, rule.comparison);
  return {
    ...rest,
    comparison,
    value: same ? reshaped(value, shape) : initialValue(field, comparison),
  };
}

export function withValue(rule: Rule, value: unknown): Rule {
  return { ...rule, value };
}

/** `undefined` means all time. */
export function withDays(rule: Rule, days: number | string | undefined): Rule {
  const { within_days: _before, ...rest } = rule;
  return days === undefined ? rest : ({ ...rest, within_days: days } as Rule);
}

export function withWhere(rule: Rule, where: RuleGroup | undefined): Rule {
  const { where: _before, ...rest } = rule;
  return where === undefined ? rest : { ...rest, where };
}

function initialValue(field: Field, comparison: Comparison): unknown {
  const type = valueTypeOf(field, comparison);
  const shape = shapeOf(comparison);
  if (shape === 'many') return [];
  const one = initialOne(field, type);
  return shape === 'pair' ? [one, ''] : one;
}

function initialOne({ kind, measure }: Field, type: ValueType): string | number {
  if (type === 'days') return DAYS;
  if (kind === 'count') return 1;
  if (kind === 'score') return 4;
  return measure === 'days_since_last' || measure === 'days_since_first' || measure === 'days_between' ? DAYS : '';
}

function reshaped(value: unknown, shape: 'one' | 'many' | 'pair'): unknown {
  const values = (Array.isArray(value) ? value : [value]).filter((one) => one !== '' && one !== undefined);
  if (shape === 'many') return values;
  return shape === 'pair' ? [values[0] ?? '', values[1] ?? ''] : (values[0] ?? '');
}

/** Returns the number of rules below, including those of `where`, as the API counts them. */
export function countRules(group: RuleGroup): number {
  return group.rules.reduce((sum, rule) => sum + (isCountable(rule) ? countRules(rule) : 1 + countWhere(rule)), 0);
}

function isCountable(rule: Rule | RuleGroup): rule is RuleGroup {
  return typeof rule === 'object' && rule !== null && isGroup(rule) && Array.isArray(rule.rules);
}

function countWhere(rule: Rule): number {
  const where: unknown = (rule as Rule | null)?.where;
  return typeof where === 'object' && where !== null && isCountable(where as RuleGroup)
    ? countRules(where as RuleGroup)
    : 0;
}

export { MAX_DEPTH, MAX_RULES };
