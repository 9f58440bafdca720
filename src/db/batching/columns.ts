import pg from 'pg';
import { parseTimestamp } from './timestamp.ts';

/** How to parse the rows of a statement. */
export interface Columns {
  names: string[];
  parsers: ((text: string) => unknown)[];
  /** A row with every name and no value, so that all rows have one shape. */
  empty: Record<string, unknown>;
}

/** bigint as number: ids and amounts stay below 2^53 by CHECK and contract. */
function parserOf(type: number): (text: string) => unknown {
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
