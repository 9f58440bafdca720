import { COMPARISONS, type Comparison } from '../../../src/rules/language.ts';
import type { Field, Kind } from './fields.ts';

/** The type of a comparison's value, which determines its input. */
export type ValueType = 'none' | 'text' | 'number' | 'money' | 'day' | 'days' | 'any' | 'product' | Choice;
/** Chosen from existing values. */
export type Choice = 'status' | 'list' | 'collection' | 'class' | 'flag' | 'choice';
/** The number of values of a comparison. */
export type Shape = 'none' | 'one' | 'many' | 'pair';

const PRESENCE = ['exists', 'not_exists'] as const;
const AMONG = ['equals', 'not_equals', 'in', 'not_in'] as const;
const OF_TEXT = ['contains', 'not_contains', 'starts_with', 'ends_with'] as const;
const OF_NUMBERS = [
  ...(['greater_than_or_equal', 'greater_than', 'less_than', 'less_than_or_equal'] as const),
  ...(['equals', 'not_equals', 'between'] as const),
];
const OF_MOMENTS = ['within_last_days', 'before', 'after', 'between'] as const;

/** The first one is the default of a new rule. */
const OFFERED: Record<Kind, readonly Comparison[]> = {
  text: [...AMONG, ...OF_TEXT, ...PRESENCE],
  status: AMONG,
  time: OF_MOMENTS,
  id: ['equals', 'not_equals', 'in', 'not_in', 'greater_than', 'less_than', 'between'],
  tag: [...AMONG, 'contains', 'starts_with', ...PRESENCE],
  list: [...AMONG, ...PRESENCE],
  product: AMONG,
  collection: AMONG,
  flag: ['equals'],
  choice: AMONG,
  any: COMPARISONS,
  count: OF_NUMBERS,
  amount: OF_NUMBERS,
  number: [...OF_NUMBERS, ...PRESENCE],
  score: [...OF_NUMBERS, ...PRESENCE],
  moment: [...OF_MOMENTS, ...PRESENCE],
  class: [...AMONG, ...PRESENCE],
};
const OF_HISTORIES: readonly Kind[] = [
  'count',
  'amount',
  'number',
  'score',
  'moment',
  'class',
  'product',
  'collection',
];

export function comparisonsOf({ kind, custom }: Field): readonly Comparison[] {
  return custom?.comparisons ?? OFFERED[kind];
}

/** For the contact's own fields and for data the API accepts every comparison, for histories and custom fields only those offered. */
export function isComparable(field: Field, comparison: unknown): comparison is Comparison {
  const isLimited = field.custom !== undefined || OF_HISTORIES.includes(field.kind);
  return (isLimited ? comparisonsOf(field) : COMPARISONS).includes(comparison as Comparison);
}

export function shapeOf(comparison: Comparison): Shape {
  switch (comparison) {
    case 'exists':
    case 'not_exists':
      return 'none';
    case 'in':
    case 'not_in':
      return 'many';
    case 'between':
      return 'pair';
    default:
      return 'one';
  }
}

export function valueTypeOf({ kind, source, path }: Field, comparison: Comparison): ValueType {
  switch (comparison) {
    case 'exists':
    case 'not_exists':
      return 'none';
    case 'within_last_days':
      return 'days';
    case 'before':
    case 'after':
      return 'day';
    case 'contains':
    case 'not_contains':
    case 'starts_with':
    case 'ends_with':
      return 'text';
    default:
      // Of the event `list_joined`.
      return source === 'data' && path === 'list_id' ? 'list' : typeOfKind(kind, comparison);
  }
}

function typeOfKind(kind: Kind, comparison: Comparison): ValueType {
  switch (kind) {
    case 'status':
    case 'list':
    case 'product':
    case 'collection':
    case 'class':
    case 'flag':
    case 'choice':
    case 'any':
      return kind;
    case 'time':
      return comparison === 'between' ? 'day' : 'text';
    case 'moment':
      return 'day';
    case 'amount':
      return 'money';
    case 'id':
    case 'count':
    case 'number':
    case 'score':
      return 'number';
    default:
      return 'text';
  }
}

const MAX_DIGITS = 15;

/** Converts what was typed to the API's form. A number stays text while it differs from how JavaScript writes it: `1.0`. */
export function typedValue(type: ValueType, text: string): string | number {
  if (
    type === 'text' ||
    type === 'day' ||
    type === 'status' ||
    type === 'class' ||
    type === 'flag' ||
    type === 'choice'
  )
    return text;
  const plain = type === 'any' ? text : text.trim().replace(/^(-?\d+),(\d*)$/, '$1.$2');
  const number = Number(plain);
  const isNumber = /^-?\d+(\.\d+)?$/.test(plain) && String(number) === plain;
  return isNumber && plain.replace(/[-.]/g, '').length <= MAX_DIGITS ? number : plain;
}
