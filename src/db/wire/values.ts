import pg from 'pg';

const TO_ESCAPE = /["\\]/;
const EACH_TO_ESCAPE = /["\\]/g;

/**
 * Returns a value as PostgreSQL's text for a parameter: times in UTC whatever the process's time zone, arrays in its own array
 * syntax, other objects as JSON. Arrays are not left to a library: 500 events have 4,500 elements, and one took twice as long.
 * @throws Error for a value without such a form: an invalid time, a circular object
 */
export function parameterOf(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return arrayAsText(value);
  if (value instanceof Date) return momentAsText(value);
  if (Buffer.isBuffer(value)) return value;
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return JSON.stringify(value);
}

function arrayAsText(values: readonly unknown[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) {
    const element: unknown = values[i];
    if (i > 0) text += ',';
    if (typeof element === 'string') text += quoted(element);
    else if (typeof element === 'number' || typeof element === 'boolean') text += element;
    else if (Array.isArray(element)) text += arrayAsText(element);
    else {
      const written = parameterOf(element);
      if (written === null) text += 'NULL';
      else text += quoted(typeof written === 'string' ? written : `\\x${written.toString('hex')}`);
    }
  }
  return `${text}}`;
}

function quoted(text: string): string {
  return TO_ESCAPE.test(text) ? `"${text.replace(EACH_TO_ESCAPE, '\\$&')}"` : `"${text}"`;
}

/** ISO 8601, with PostgreSQL's forms for years that do not have four digits there. */
function momentAsText(moment: Date): string {
  const text = moment.toISOString();
  if (text[0] === '+') return text.slice(text[1] === '0' ? 2 : 1);
  const year = moment.getUTCFullYear();
  return year > 0 ? text : `${String(1 - year).padStart(4, '0')}${text.slice(text[0] === '-' ? 7 : 4)} BC`;
}

/** How to parse the rows of a statement. */
export interface Columns {
  names: string[];
  parsers: ((text: string) => unknown)[];
  /** A row with every name and no value, so that all rows have one shape. */
  empty: Record<string, unknown>;
}

/** bigint as number: ids and amounts stay below 2^53 by CHECK and contract. */
export function parserOf(type: number): (text: string) => unknown {
  if (type === pg.types.builtins.INT8) return Number;
  if (type === pg.types.builtins.TIMESTAMPTZ) return parseTimestamp;
  return pg.types.getTypeParser(type, 'text');
}

export const NO_COLUMNS: Columns = { names: [], parsers: [], empty: {} };

/** By connection, its prepared statements: what was described once is not requested again. */
const columnsOf = new WeakMap<pg.Connection, Map<string, Columns>>();

export function columnsFrom(fields: pg.FieldDef[]): Columns {
  const empty: Record<string, unknown> = {};
  for (const { name } of fields) empty[name] = null;
  return {
    names: fields.map(({ name }) => name),
    parsers: fields.map(({ dataTypeID }) => parserOf(dataTypeID)),
    empty,
  };
}

/** Columns of a prepared statement that the connection has described before. */
export function knownColumns(connection: pg.Connection, name: string): Columns | undefined {
  return columnsOf.get(connection)?.get(name);
}

export function noteColumns(connection: pg.Connection, name: string, columns: Columns): void {
  const known = columnsOf.get(connection) ?? new Map<string, Columns>();
  if (!known.has(name)) columnsOf.set(connection, known.set(name, columns));
}

export function emptyRow({ empty }: Columns): Record<string, unknown> {
  return { ...empty };
}

/** Reads a row's texts into `row`. @throws Error of the parser that cannot read its text */
export function readRow({ names, parsers }: Columns, fields: (string | null)[], row: Record<string, unknown>): void {
  for (let i = 0; i < fields.length; i++) {
    const text = fields[i]!;
    if (text !== null) row[names[i]!] = parsers[i]!(text);
  }
}

const anyTimestamp: (text: string) => Date = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, 'text');
const ZERO = 48;

/**
 * Parses `2026-01-31 23:59:59.123456+00`, as PostgreSQL writes times to connections whose time zone is UTC. Other forms
 * are left to the driver, which takes five times as long for any of them. Like the driver, it truncates microseconds.
 */
export function parseTimestamp(text: string): Date {
  const end = text.length - 3;
  if (end < 19 || end > 26 || text.charCodeAt(4) !== 45 || text[10] !== ' ' || !text.endsWith('+00'))
    return anyTimestamp(text);
  const digits = (at: number): number => (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
  let milliseconds = 0;
  for (let at = 20, unit = 100; at < end && unit >= 1; at++, unit /= 10)
    milliseconds += (text.charCodeAt(at) - ZERO) * unit;
  const year = digits(0) * 100 + digits(2);
  if (year < 100) return anyTimestamp(text);
  return new Date(Date.UTC(year, digits(5) - 1, digits(8), digits(11), digits(14), digits(17), milliseconds));
}
