/**
 * How the rule language parses values. The SQL functions rule_number and rule_moment (db/migrations) implement the same
 * grammars, and predicates.ts compares like the functions here: change both together.
 */

/**
 * A JSON number without exponent. Up to 15 digits, every number has a distinct binary value, so that they compare like SQL
 * decimals.
 */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
const MAX_DIGITS = 15;
const MOMENT =
  /^([1-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(?:[T ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?(Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?$/;

/** The value as a number: a number, or a text such as `12.50`. `007`, `1e3` and 16 digits are texts. Else null. */
export function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || value.length > MAX_DIGITS + 2 || !NUMBER.test(value)) return null;
  return value.replace(/[-.]/g, '').length <= MAX_DIGITS ? Number(value) : null;
}

/** All texts that parse to the number; none if it has more than 15 digits. */
export function textsOfNumber(number: number): string[] {
  const size = Math.abs(number);
  const decimals = MAX_DIGITS - String(Math.trunc(size)).length;
  if (size >= 10 ** MAX_DIGITS) return [];
  const longest = size.toFixed(decimals);
  if (Number(longest) !== size) return [];
  const [whole, fraction = ''] = longest.split('.') as [string, string?];
  const shortest = fraction.replace(/0+$/, '').length;
  const signs = number < 0 ? ['-'] : number === 0 ? ['', '-'] : [''];
  return signs.flatMap((sign) =>
    Array.from({ length: decimals - shortest + 1 }, (_, i) => {
      const places = shortest + i;
      return places === 0 ? `${sign}${whole}` : `${sign}${whole}.${fraction.slice(0, places)}`;
    }),
  );
}

/**
 * The value as a moment in milliseconds since 1970: a text `YYYY-MM-DD`, `YYYY-MM-DD HH:MM[:SS]` or ISO 8601, in UTC if
 * it has no offset. Otherwise null.
 */
export function toMoment(value: unknown): number | null {
  const part = typeof value === 'string' ? MOMENT.exec(value) : null;
  if (part === null) return null;
  const [year, month, day] = [Number(part[1]), Number(part[2]), Number(part[3])];
  const midnight = Date.UTC(year, month - 1, day);
  // Date.UTC turns 30 February into 2 March.
  if (new Date(midnight).getUTCDate() !== day) return null;
  const time = Number(part[4] ?? 0) * 3_600_000 + Number(part[5] ?? 0) * 60_000 + Number(part[6] ?? 0) * 1_000;
  return midnight + time + Number((part[7] ?? '0').padEnd(3, '0').slice(0, 3)) - offsetOf(part[8] ?? 'Z');
}

function offsetOf(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** The text by which texts and booleans are compared; null for everything else. */
export function toText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' ? String(value) : null;
}

/** The type as which a rule's value is compared: number if possible, else moment, else text. */
export type Operand =
  | { kind: 'number'; value: number }
  | { kind: 'moment'; value: number }
  | { kind: 'text'; value: string };

/** The operand for equality, for which moments are texts. Null for a value that nothing equals. */
export function equalityOperand(value: unknown): Operand | null {
  const number = toNumber(value);
  if (number !== null) return { kind: 'number', value: number };
  const text = toText(value);
  return text === null ? null : { kind: 'text', value: text };
}

/** The operand for ordering: a number or a moment; otherwise null. */
export function orderOperand(value: unknown): Operand | null {
  const number = toNumber(value);
  if (number !== null) return { kind: 'number', value: number };
  const moment = toMoment(value);
  return moment === null ? null : { kind: 'moment', value: moment };
}

/** The text to search for; numbers become their usual text. */
export function textOperand(value: unknown): string | null {
  return typeof value === 'number' ? String(value) : toText(value);
}

/** `value` converted to the operand's kind; null if it is of another kind. */
export function readAs(kind: Operand['kind'], value: unknown): number | string | null {
  if (kind === 'number') return toNumber(value);
  return kind === 'moment' ? toMoment(value) : toText(value);
}

/**
 * The inclusive bounds of the integers that satisfy an ordering or equality comparison with numbers; null if unbounded.
 * Clamped to the safe integers.
 */
export function wholeBounds({
  comparison,
  value,
}: {
  comparison: string;
  value?: unknown;
}): [number | null, number | null] {
  const [low, high] = (Array.isArray(value) ? value : [value]).map((one) =>
    Math.min(Math.max(toNumber(one)!, -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER),
  );
  switch (comparison) {
    case 'equals':
      return [Math.ceil(low!), Math.floor(low!)];
    case 'between':
      return [Math.ceil(low!), Math.floor(high!)];
    case 'greater_than':
      return [Math.floor(low!) + 1, null];
    case 'greater_than_or_equal':
      return [Math.ceil(low!), null];
    case 'less_than':
      return [null, Math.ceil(low!) - 1];
    case 'less_than_or_equal':
      return [null, Math.floor(low!)];
    default:
      throw new Error(`A number cannot be compared by ${comparison}`);
  }
}
