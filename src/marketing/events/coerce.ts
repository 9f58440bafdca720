import type { FieldError } from '../../errors.ts';
import { normaliseEmail } from '../../lib/addresses.ts';

export type Kind = 'short' | 'long' | 'email' | 'number' | 'items';

const ITEM_FIELDS: Record<string, Kind> = { product_id: 'short', name: 'long', price: 'number', quantity: 'number' };

const MAX_LENGTH = { short: 255, long: 1_000, email: 254 };
const NUMERIC = /^[+-]?(?:\d{1,30}\.?\d{0,30}|\.\d{1,30})(?:[eE][+-]?\d{1,3})?$/;

/** Replaces the fields of `record` by their coerced values; null stays null. */
export function coerceFields(
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
export function isExact(number: number): boolean {
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

export function fieldError(field: string, message: string, code: string): FieldError {
  return { field, code, message };
}
