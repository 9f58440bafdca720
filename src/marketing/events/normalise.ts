import { type FieldError, validationFailed } from '../../errors.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import { parseTimestamp } from '../../lib/timestamps.ts';
import { validatorOf } from '../../lib/validation/validation.ts';
import { SentEvent } from './contract.ts';
import type { EventInput, EventSource } from './event.ts';
import { type EventTypes, isBuiltIn } from './event-types/built-in.ts';

const DAY_MS = 24 * 3_600_000;

/** Fields of the contact; they are the same in every event type, including registered ones. */
const CONTACT_FIELDS: Record<string, Kind> = {
  email: 'email',
  customer_id: 'short',
  phone: 'short',
  first_name: 'short',
  last_name: 'short',
};
/** The types of the documented fields of built-in events; other fields are free. */
const BUILT_IN_FIELDS: Record<string, Kind> = {
  ...CONTACT_FIELDS,
  order_id: 'short',
  product_id: 'short',
  product_name: 'long',
  subscription_id: 'short',
  total: 'number',
  cart_total: 'number',
  items: 'items',
};
const checkSent = validatorOf(SentEvent);

/** Validates one event of a batch. Throws like `normaliseEvent`. */
export function readEvent(value: unknown, types: EventTypes, source: EventSource, now: Date): EventInput {
  const errors = checkSent(value);
  if (errors !== null) throw validationFailed(errors);
  return normaliseEvent(value as SentEvent, types, source, now);
}

/**
 * Returns the event as it is stored, with numeric strings converted to numbers, and numeric ids to strings. Throws
 * `validation_failed` with every invalid field.
 */
export function normaliseEvent(sent: SentEvent, types: EventTypes, source: EventSource, now: Date): EventInput {
  const required = types.get(sent.event_type);
  if (required === undefined) {
    throw validationFailed([fieldError('event_type', `Unknown event_type: ${sent.event_type}`, 'not_allowed')]);
  }
  const errors: FieldError[] = [];
  const data = { ...sent.event_data };
  const missing = required.filter((key) => isMissing(key, data[key]));
  if (missing.length > 0) {
    errors.push(fieldError('event_data', `Missing required event_data keys: ${missing.join(', ')}`, 'required'));
  }
  coerceFields(data, isBuiltIn(sent.event_type) ? BUILT_IN_FIELDS : CONTACT_FIELDS, 'event_data', errors);
  if (missing.length === 0 && !isFilled(data.email) && !isFilled(data.customer_id) && !isFilled(data.phone)) {
    errors.push(fieldError('event_data', 'event_data must hold email, customer_id or phone', 'required'));
  }
  if (typeof sent.event_id === 'number' && !isExact(sent.event_id)) {
    errors.push(fieldError('event_id', 'event_id must be a string where it has more than 15 digits', 'wrong_type'));
  }
  const occurredAt = readOccurredAt(sent.occurred_at ?? null, now, errors);
  if (errors.length > 0) throw validationFailed(errors);
  return {
    eventType: sent.event_type,
    data,
    eventId: sent.event_id == null ? undefined : String(sent.event_id),
    occurredAt,
    source,
    correlation: null,
  };
}

/** Names may be empty, identifiers may not. */
function isMissing(key: string, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return (key === 'email' || key.endsWith('_id')) && typeof value === 'string' && value.trim() === '';
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function readOccurredAt(text: string | null, now: Date, errors: FieldError[]): Date | undefined {
  if (text === null) return undefined;
  const moment = parseTimestamp(text);
  if (moment === null) {
    errors.push(fieldError('occurred_at', 'occurred_at must be YYYY-MM-DD HH:MM:SS (UTC) or ISO 8601', 'wrong_format'));
    return undefined;
  }
  if (moment.getTime() - now.getTime() > DAY_MS) {
    errors.push(fieldError('occurred_at', 'occurred_at is more than 24 hours in the future', 'out_of_range'));
  }
  return moment;
}

type Kind = 'short' | 'long' | 'email' | 'number' | 'items';

const ITEM_FIELDS: Record<string, Kind> = { product_id: 'short', name: 'long', price: 'number', quantity: 'number' };

const MAX_LENGTH = { short: 255, long: 1_000, email: 254 };
const NUMERIC = /^[+-]?(?:\d{1,30}\.?\d{0,30}|\.\d{1,30})(?:[eE][+-]?\d{1,3})?$/;

/** Replaces the fields of `record` by their coerced values; null stays null. */
function coerceFields(
  record: Record<string, unknown>,
  kinds: Record<string, Kind>,
  path: string,
  errors: FieldError[],
): void {
  for (const name in kinds) {
    const value = record[name];
    if (value === undefined || value === null) continue;
    const kind = kinds[name]!;
    const coerced = kind === 'items' ? coerceItems(value, `${path}.${name}`, errors) : coerce(value, kind);
    if (coerced === undefined) {
      const at = `${path}.${name}`;
      errors.push(fieldError(at, `${at} must be ${EXPECTED[kind]}`, 'wrong_type'));
    } else record[name] = coerced;
  }
}

const EXPECTED: Record<Kind, string> = {
  short: `a string of at most ${MAX_LENGTH.short} characters`,
  long: `a string of at most ${MAX_LENGTH.long} characters`,
  email: 'an e-mail address',
  number: 'a number',
  items: 'an array of objects',
};

/** The value converted to the kind; undefined if that is not possible. */
function coerce(value: unknown, kind: Exclude<Kind, 'items'>): unknown {
  if (kind === 'number') {
    const number = typeof value === 'string' && NUMERIC.test(value.trim()) ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  }
  const text = typeof value === 'number' && isExact(value) ? String(value) : value;
  if (typeof text !== 'string' || text.length > MAX_LENGTH[kind]) return undefined;
  const trimmed = text.trim();
  return kind !== 'email' || trimmed === '' || normaliseEmail(trimmed) !== null ? trimmed : undefined;
}

/** Larger integers were rounded when the body was parsed: two ids could become one, and the second event a duplicate. */
function isExact(number: number): boolean {
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER;
}

function coerceItems(value: unknown, path: string, errors: FieldError[]): unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((item: unknown, i) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      errors.push(fieldError(`${path}.${i}`, `${path}.${i} must be an object`, 'wrong_type'));
      return item;
    }
    const copy = { ...item } as Record<string, unknown>;
    coerceFields(copy, ITEM_FIELDS, `${path}.${i}`, errors);
    if (typeof copy.quantity === 'number' && !Number.isInteger(copy.quantity)) {
      errors.push(fieldError(`${path}.${i}.quantity`, `${path}.${i}.quantity must be an integer`, 'wrong_type'));
    }
    return copy;
  });
}

function fieldError(field: string, message: string, code: string): FieldError {
  return { field, code, message };
}
