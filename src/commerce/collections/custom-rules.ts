import { isCalendarDate } from '../../lib/timestamps.ts';
import { type KnownProblem, problem } from '../../lib/validation/problems.ts';
import { type Comparison, valueError } from '../../rules/language.ts';
import { toMoment, toNumber } from '../../rules/values.ts';
import type { CustomField, CustomFieldType } from '../custom-fields/definition.ts';

/** What rules need to know of a custom field of products or variants. */
export type RuleField = Pick<CustomField, 'on' | 'key' | 'type'>;

/** How rules compare the values of a type. */
export type ValueClass = 'text' | 'number' | 'boolean' | 'date' | 'moment' | 'id';

const CLASSES: Record<CustomFieldType, ValueClass> = {
  text: 'text',
  long_text: 'text',
  choice: 'text',
  url: 'text',
  color: 'text',
  integer: 'number',
  decimal: 'number',
  weight: 'number',
  length: 'number',
  money: 'number',
  boolean: 'boolean',
  date: 'date',
  moment: 'moment',
  media: 'id',
  product: 'id',
  collection: 'id',
};

const PRESENCE = ['exists', 'not_exists'] as const;
const AMONG = ['equals', 'not_equals', 'in', 'not_in'] as const;
const OF_TEXT = ['contains', 'not_contains', 'starts_with', 'ends_with'] as const;
const ORDERED = ['greater_than_or_equal', 'greater_than', 'less_than', 'less_than_or_equal', 'between'] as const;
const OF_TIME = ['within_last_days', 'before', 'after', ...ORDERED] as const;

const COMPARISONS_OF: Record<ValueClass, readonly Comparison[]> = {
  text: [...AMONG, ...OF_TEXT, ...PRESENCE],
  number: [...ORDERED, ...AMONG, ...PRESENCE],
  boolean: ['equals', 'not_equals', ...PRESENCE],
  date: [...OF_TIME, ...AMONG, ...PRESENCE],
  moment: [...OF_TIME, ...PRESENCE],
  id: [...AMONG, ...PRESENCE],
};

export function classOf(type: CustomFieldType): ValueClass {
  return CLASSES[type];
}

/** The comparisons that fit a type, the most common ones first. */
export function comparisonsOfType(type: CustomFieldType): readonly Comparison[] {
  return COMPARISONS_OF[CLASSES[type]];
}

/** Where a rule does not fit a custom field. */
interface Unfit {
  member: 'comparison' | 'value';
  problem: KnownProblem;
}

/** Returns why a rule fits none of the fields with its key: what is wrong with it for the first; null if it fits one. */
export function unfitFor(fields: readonly RuleField[], comparison: Comparison, value: unknown): Unfit | null {
  const unfit = fields.map(({ type }) => unfitForType(type, comparison, value));
  return unfit.includes(null) ? null : unfit[0]!;
}

function unfitForType(type: CustomFieldType, comparison: Comparison, value: unknown): Unfit | null {
  if (!comparisonsOfType(type).includes(comparison)) {
    return { member: 'comparison', problem: problem('type_unfit', { type, comparison }) };
  }
  const wrong = valueError(comparison, value) ?? operandError(classOf(type), comparison, value);
  return wrong === null ? null : { member: 'value', problem: wrong };
}

/** The error of a value that the comparison takes, but not with values of the class. */
function operandError(of: ValueClass, comparison: Comparison, value: unknown): KnownProblem | null {
  if (comparison === 'exists' || comparison === 'not_exists' || comparison === 'within_last_days') return null;
  const values = Array.isArray(value) ? value : [value];
  switch (of) {
    case 'text':
      return null;
    case 'number':
      if (values.every((one) => toNumber(one) !== null)) return null;
      return problem(comparison === 'between' ? 'no_number_ends' : 'no_number');
    case 'boolean':
      return values.every((one) => String(one) === 'true' || String(one) === 'false') ? null : problem('no_flag');
    case 'id':
      return values.every((one) => Number.isSafeInteger(toNumber(one))) ? null : problem('no_number');
    case 'date':
    case 'moment': {
      const isAmong = AMONG.some((one) => one === comparison);
      const isTime = (one: unknown): boolean =>
        isAmong ? typeof one === 'string' && isCalendarDate(one) : toMoment(one) !== null;
      if (values.every(isTime)) return null;
      return problem(comparison === 'between' ? 'no_date_ends' : isAmong ? 'no_day' : 'no_moment');
    }
  }
}
