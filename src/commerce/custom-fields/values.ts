import type { FieldError } from '../../errors.ts';
import { isCalendarDate, parseTimestamp } from '../../lib/timestamps.ts';
import { parseDecimalMicros, toMinor } from '../money.ts';
import type { Shop } from '../shop.ts';
import {
  type CustomField,
  type CustomFieldOwner,
  type CustomScalar,
  type CustomValue,
  type CustomValues,
  MAX_CHARACTERS,
  MAX_LENGTHS,
  MAX_VALUES,
  type ReferenceType,
} from './definition.ts';

/** What values are checked against. */
export interface ValueContext {
  fields: readonly CustomField[];
  /** Decimal places of the shop's currency. */
  exponent: number;
  currency: string;
  /** Whether a record that a value refers to exists. Records that were deleted after a value was stored are not looked for again. */
  exists: (type: ReferenceType, id: number) => boolean;
}

/** Definitions as read from the database, and the records that values refer to. */
export interface Definitions {
  fields: readonly CustomField[];
  references: readonly { type: ReferenceType; id: number }[];
}

/** Without definitions that were read, those in memory apply: they say which values new records need. */
export function contextOf(
  { exponent, currency, customFields }: Pick<Shop, 'exponent' | 'currency' | 'customFields'>,
  definitions: Definitions | null,
): ValueContext {
  const { fields, references } = definitions ?? { fields: customFields, references: [] };
  return {
    fields,
    exponent,
    currency,
    exists: (type, id) => references.some((one) => one.type === type && one.id === id),
  };
}

/** Thrown by the readers of values, and caught here. */
class Fault extends Error {
  readonly code: string;
  readonly problem: FieldError['problem'];

  constructor(code: string, message: string, problem?: FieldError['problem']) {
    super(message);
    this.code = code;
    this.problem = problem;
  }
}

const MAX_NUMBER = 1_000_000_000_000;

/**
 * Returns a record's values with those that a request gives; null and empty ones clear a value. Adds an error for each value that does not
 * satisfy its definition, and for each required value that a new record lacks or a request clears.
 * @param old null for a new record
 */
export function mergeCustom(
  context: ValueContext,
  on: CustomFieldOwner,
  given: Readonly<Record<string, unknown>> | undefined,
  old: CustomValues | null,
  errors: FieldError[],
): CustomValues {
  const fields = context.fields.filter((field) => field.on === on);
  const values: CustomValues = { ...old };
  const fail = (key: string, code: string, text: string, problem?: FieldError['problem']): void => {
    const error: FieldError = { field: `custom.${key}`, code, message: `custom.${key} ${text}` };
    errors.push(problem === undefined ? error : { ...error, problem });
  };
  for (const [key, value] of Object.entries(given ?? {})) {
    const field = fields.find((one) => one.key === key);
    if (field === undefined) {
      fail(key, 'unknown', `is not a custom field of this record`);
    } else if (isEmpty(value)) {
      delete values[key];
      if (field.required && old !== null) fail(key, 'required', 'is required', { code: 'required', params: {} });
    } else {
      const read = readValue(field, value, context);
      if (read instanceof Fault) fail(key, read.code, read.message, read.problem);
      else values[key] = read;
    }
  }
  if (old === null) {
    for (const { key, required } of fields) {
      const isGiven = given !== undefined && Object.hasOwn(given, key) && !isEmpty(given[key]);
      if (required && !isGiven) fail(key, 'required', 'is required', { code: 'required', params: {} });
    }
  }
  if (given !== undefined && JSON.stringify(values).length > MAX_CHARACTERS) {
    errors.push({ field: 'custom', code: 'too_long', message: `custom may have ${MAX_CHARACTERS} characters as JSON` });
  }
  return values;
}

/** Returns the values of these fields. */
export function pickValues(fields: readonly Pick<CustomField, 'key'>[], values: CustomValues): CustomValues {
  const picked = fields.filter(({ key }) => key in values);
  return Object.fromEntries(picked.map(({ key }) => [key, values[key]!]));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function readValue(field: CustomField, value: unknown, context: ValueContext): CustomValue | Fault {
  try {
    if (!field.list) return readScalar(field, value, context);
    if (!Array.isArray(value)) throw new Fault('wrong_type', 'must be an array', { code: 'no_array', params: {} });
    if (value.length > MAX_VALUES) {
      throw new Fault('too_long', `must have at most ${MAX_VALUES} values`, {
        code: 'most',
        params: { limit: MAX_VALUES },
      });
    }
    return value.map((one) => readScalar(field, one, context));
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** Whether a stored value satisfies the definition. A record that it refers to may have been deleted. */
export function fits(
  field: CustomField,
  value: unknown,
  { exponent, currency }: Omit<ValueContext, 'fields' | 'exists'>,
): boolean {
  if (isEmpty(value)) return false;
  const read = readValue(field, value, { fields: [], exponent, currency, exists: () => true });
  return !(read instanceof Fault) && JSON.stringify(read) === JSON.stringify(value);
}

/** Returns the values that fields of another owner can have: a product that becomes a variant keeps what variants have, too. */
export function fittingValues(context: ValueContext, on: CustomFieldOwner, values: CustomValues): CustomValues {
  const fields = context.fields.filter((field) => field.on === on);
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) =>
      fields.some((field) => field.key === key && fits(field, value, context)),
    ),
  );
}

function readScalar(field: CustomField, value: unknown, context: ValueContext): CustomScalar {
  const { type, rules } = field;
  switch (type) {
    case 'text':
    case 'long_text':
    case 'url': {
      const text = readText(value);
      if (type === 'text' && /[\r\n]/.test(text)) throw new Fault('wrong_format', 'must be one line');
      if (type === 'url' && !isUrl(text))
        throw new Fault('wrong_format', 'must be an address such as https://example.com');
      const limit = rules.max_length ?? MAX_LENGTHS[type];
      if (text.length > limit) {
        throw new Fault('too_long', `must have at most ${limit} characters`, { code: 'longest', params: { limit } });
      }
      return text;
    }
    case 'choice': {
      const text = readText(value);
      const choices = rules.choices ?? [];
      if (choices.includes(text)) return text;
      const list = choices.join(', ');
      throw new Fault('not_allowed', `must be one of ${list}`, { code: 'one_of', params: { list } });
    }
    case 'color': {
      const text = readText(value).toLowerCase();
      if (!/^#[0-9a-f]{6}$/.test(text)) throw new Fault('wrong_format', 'must be a colour such as #1a2b3c');
      return text;
    }
    case 'date': {
      const text = readText(value);
      if (!isCalendarDate(text))
        throw new Fault('wrong_format', 'must be a date, YYYY-MM-DD', { code: 'date', params: {} });
      return within(rules, text);
    }
    case 'moment': {
      const moment = parseTimestamp(readText(value));
      if (moment === null) {
        throw new Fault('wrong_format', 'must be a moment such as 2026-01-31T09:00:00Z', {
          code: 'no_moment',
          params: {},
        });
      }
      return within(rules, moment.toISOString());
    }
    case 'boolean':
      if (typeof value !== 'boolean') throw new Fault('wrong_type', 'must be true or false');
      return value;
    case 'integer':
      if (!Number.isSafeInteger(value)) {
        throw new Fault('wrong_type', 'must be a whole number', { code: 'no_whole_number', params: {} });
      }
      return within(rules, value as number);
    case 'decimal':
      return within(rules, readNumber(value));
    case 'weight':
    case 'length': {
      const amount = readNumber(value);
      if (amount < 0) throw new Fault('out_of_range', 'must be at least 0', { code: 'minimum', params: { limit: 0 } });
      return within(rules, amount);
    }
    case 'money': {
      const amount = readNumber(value);
      if (toMinor(amount, context.exponent) === null) {
        const { currency } = context;
        throw new Fault('too_many_decimals', `has more decimal places than ${currency}`, {
          code: 'decimals',
          params: { currency },
        });
      }
      return within(rules, amount);
    }
    case 'media':
    case 'product':
    case 'collection':
      if (!Number.isSafeInteger(value) || (value as number) < 1) throw new Fault('wrong_type', 'must be an id');
      if (!context.exists(type, value as number)) throw new Fault('unknown', `refers to an unknown ${type}`);
      return value as number;
  }
}

function readText(value: unknown): string {
  if (typeof value !== 'string') throw new Fault('wrong_type', 'must be a string', { code: 'no_text', params: {} });
  const text = value.trim();
  if (text === '') throw new Fault('too_short', 'must not be blank');
  return text;
}

function readNumber(value: unknown): number {
  if (typeof value !== 'number') throw new Fault('wrong_type', 'must be a number', { code: 'no_number', params: {} });
  if (Math.abs(value) > MAX_NUMBER)
    throw new Fault('out_of_range', `must be at most ${MAX_NUMBER}`, {
      code: 'maximum',
      params: { limit: MAX_NUMBER },
    });
  if (parseDecimalMicros(value) === null && !Number.isSafeInteger(value)) {
    throw new Fault('too_many_decimals', 'may have at most six decimal places', { code: 'six_decimals', params: {} });
  }
  return value + 0;
}

function isUrl(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

/** Dates and moments are texts whose order is that of time. */
function within<T extends number | string>({ min, max }: CustomField['rules'], value: T): T {
  if (min !== undefined && value < min) {
    throw new Fault('out_of_range', `must be at least ${min}`, { code: 'minimum', params: { limit: min } });
  }
  if (max !== undefined && value > max) {
    throw new Fault('out_of_range', `must be at most ${max}`, { code: 'maximum', params: { limit: max } });
  }
  return value;
}
