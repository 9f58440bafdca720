import type { FieldError } from '../../../api/errors.ts';
import { twoReadings } from '../../../ui/form/numbers.ts';
import { bodyOfFields, bodyValue, type Field, type FieldContext, isPrecise } from '../../../ui/form/values.ts';

/** A column of cells that are edited. */
export interface Column {
  /** Its field in requests, and in the names of errors: `price`, `custom.material`. */
  key: string;
  /** Reads what is typed. */
  field: Field;
  /** What the cell of a variant shows before it is edited. */
  stored(variant: Variant): string;
  /** Of amounts: the names of the currency that a pasted text may have, see `currencyNames`. */
  currency?: RegExp;
}

export interface Variant {
  id: number;
  sku: string | null;
  price: number;
  stock_qty: number;
  track_stock: boolean | null;
  custom: Readonly<Record<string, unknown>>;
}

/** What was typed into cells, by the variant's id and the column's key. */
export type Edits = Readonly<Record<number, Readonly<Record<string, string>>>>;
/** What to change of a variant. */
export interface Change {
  id: number;
  sku?: string | null;
  price?: number;
  stock_qty?: number;
  [name: `custom.${string}`]: unknown;
}
/** Texts of errors, by cell. */
export type CellErrors = Readonly<Record<string, string>>;
export interface CellError {
  id: number;
  column: Column;
  text: string;
}

/** The server changes so many products at once. */
export const MOST_CHANGES = 500;

/** The field of an amount as a number: asking Intl for the decimals of the currency would take too long for each cell of a large table. */
export function asNumber(field: Field, { currency }: FieldContext): Field {
  return { ...field, type: 'number', ...(isPrecise(field, currency) ? { precise: true } : {}) };
}

export const cellKey = (id: number, { key }: Pick<Column, 'key'>): string => `${id}.${key}`;

export function isEditable(variant: Variant, { key }: Column): boolean {
  return key !== 'stock_qty' || variant.track_stock === true;
}

export function textIn(edits: Edits, variant: Variant, column: Column): string {
  return edits[variant.id]?.[column.key] ?? column.stored(variant);
}

/** The cells of a block that was copied from a spreadsheet. */
export function blockOf(clipboard: string): string[][] {
  const lines = clipboard.replace(/\r?\n$/, '').split(/\r?\n/);
  return lines.map((line) => line.split('\t').map((cell) => cell.trim()));
}

/** Finds the currency's code or name before or after a number: `19,90 EUR`, `12,50 kr.`. */
export function currencyNames({ currency }: FieldContext): RegExp {
  const shown = (['symbol', 'narrowSymbol'] as const).flatMap((currencyDisplay) =>
    new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay }).formatToParts(0),
  );
  const symbols = shown.filter(({ type }) => type === 'currency').map(({ value }) => value.replace(/[^\p{L}]/gu, ''));
  const names = [currency, ...symbols].filter((name) => name !== '').join('|');
  return new RegExp(`^(?:${names})\\.?|(?:${names})\\.?$`, 'iu');
}

/**
 * A number without what spreadsheets put around it: `€ 1.250,00` becomes `1250,00`. A text with anything else, such as `5e3` or `1,5 kg`,
 * stays as it is, and the server refuses it.
 */
function plainNumber(text: string, currency: RegExp | undefined): string {
  const unsigned = text.replace(/[\s\p{Sc}'’]/gu, '');
  const bare = currency === undefined ? unsigned : unsigned.replace(currency, '');
  if (!/^-?[\d.,]*\d[\d.,]*$/.test(bare)) return text;
  const isPoint = bare.lastIndexOf('.') > bare.lastIndexOf(',');
  const [whole, ...others] = bare.replaceAll(isPoint ? ',' : '.', '').split(isPoint ? '.' : ',');
  // A separator that occurs twice is one of thousands.
  return others.length > 1 ? [whole, ...others].join('') : [whole, ...others].join(isPoint ? '.' : ',');
}

/**
 * A text from a spreadsheet as it is typed here: of a choice, its value or as it is shown, if need be in another case. A typed `1.250` has one
 * reading in a precise column, but a pasted one has two: it becomes `1.250?`, which `ambiguousCells` finds.
 */
function pastedText({ field: { type, precise, choices = [] }, currency }: Column, text: string): string {
  if (type === 'number') {
    const plain = plainNumber(text, currency);
    return precise && currency === undefined && twoReadings(plain) !== null ? `${plain}?` : plain;
  }
  const same = text.toLowerCase();
  const found =
    choices.find(({ value, label }) => value === text || label === text) ??
    choices.find(({ value, label }) => value.toLowerCase() === same || label.toLowerCase() === same);
  return found?.value ?? text;
}

/** Sets the text of one cell. */
export function withText(edits: Edits, id: number, { key }: Column, text: string): Edits {
  return { ...edits, [id]: { ...edits[id], [key]: text } };
}

/** Fills the cells to the right of and below a cell with a block; what has no editable cell is left out. */
export function withBlock(
  edits: Edits,
  variants: readonly Variant[],
  columns: readonly Column[],
  { row, column }: { row: number; column: Column },
  block: readonly (readonly string[])[],
): Edits {
  const first = columns.indexOf(column);
  const filled = new Map(Object.entries(edits).map(([id, texts]) => [Number(id), texts]));
  block.forEach((cells, i) => {
    const variant = variants[row + i];
    if (variant === undefined) return;
    const texts = cells.flatMap((text, k): [string, string][] => {
      const target = columns[first + k];
      if (target === undefined || !isEditable(variant, target)) return [];
      return [[target.key, text === target.stored(variant) ? text : pastedText(target, text)]];
    });
    filled.set(variant.id, { ...filled.get(variant.id), ...Object.fromEntries(texts) });
  });
  return Object.fromEntries(filled);
}

/** Sets one text in a column of several variants. */
export function withColumn(edits: Edits, variants: readonly Variant[], column: Column, text: string): Edits {
  const editable = variants.filter((variant) => isEditable(variant, column));
  return { ...edits, ...Object.fromEntries(editable.map(({ id }) => [id, { ...edits[id], [column.key]: text }])) };
}

/** Whether saving would change the cell: `12.50` is no change of `12.5`. */
export function isChanged(edits: Edits, variant: Variant, column: Column, context: FieldContext): boolean {
  const typed = edits[variant.id]?.[column.key];
  if (typed === undefined || !isEditable(variant, column)) return false;
  const stored = column.stored(variant);
  return typed !== stored && bodyValue(column.field, typed, context) !== bodyValue(column.field, stored, context);
}

interface Known {
  variant: Variant;
  columns: readonly Column[];
  change: Change | null;
}

/** The changes by what was typed into the cells of a variant: at each key, those of one of up to 2,000 variants are made again. */
const known = new WeakMap<Edits[number], Known>();

/** What was typed and differs from what is stored, in the order of the variants. */
export function changesOf(
  edits: Edits,
  variants: readonly Variant[],
  columns: readonly Column[],
  context: FieldContext,
): Change[] {
  return variants.flatMap((variant): Change[] => {
    const typed = edits[variant.id];
    if (typed === undefined) return [];
    const before = known.get(typed);
    const isSame = before?.variant === variant && before.columns === columns;
    const change = isSame ? before.change : changeOf(edits, variant, columns, context);
    known.set(typed, { variant, columns, change });
    return change === null ? [] : [change];
  });
}

function changeOf(edits: Edits, variant: Variant, columns: readonly Column[], context: FieldContext): Change | null {
  const changed = columns.filter((column) => isChanged(edits, variant, column, context));
  if (changed.length === 0) return null;
  const fields = changed.map(({ field }) => field);
  const texts = Object.fromEntries(changed.map((column) => [column.key, textIn(edits, variant, column)]));
  return { ...bodyOfFields<Omit<Change, 'id'>>(fields, texts, context), id: variant.id };
}

/** Cells with a number that can be read in two ways, with both. */
export function ambiguousCells(
  edits: Edits,
  variants: readonly Variant[],
  columns: readonly Column[],
  context: FieldContext,
): (CellError & { readings: [string, string] })[] {
  const numbers = columns.filter(({ field }) => field.type === 'number');
  return variants.flatMap((variant) =>
    numbers.flatMap((column) => {
      if (!isChanged(edits, variant, column, context)) return [];
      const typed = textIn(edits, variant, column);
      const text = column.field.precise ? (/^(.+)\?$/.exec(typed)?.[1] ?? '') : typed;
      const readings = twoReadings(text);
      return readings === null ? [] : [{ id: variant.id, column, text, readings }];
    }),
  );
}

/** Leaves out what has been saved, unless something else was typed meanwhile. */
export function withoutSaved(edits: Edits, saved: readonly Change[], sent: Edits): Edits {
  const ids = new Set(saved.map(({ id }) => id));
  const left = Object.entries(edits).flatMap(([key, texts]) => {
    const id = Number(key);
    if (!ids.has(id)) return [[id, texts] as const];
    const newer = Object.entries(texts).filter(([column, text]) => sent[id]?.[column] !== text);
    return newer.length === 0 ? [] : [[id, Object.fromEntries(newer)] as const];
  });
  return Object.fromEntries(left);
}

export function chunksOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

/** The texts of errors by cell, and the first one of each hidden column with the column's title. */
export function byCell(
  errors: readonly CellError[],
  shown: readonly Column[],
): { cells: CellErrors; hidden: readonly string[] } {
  const cells: Record<string, string> = {};
  const hidden = new Map<Column, string>();
  for (const { id, column, text } of errors) {
    cells[cellKey(id, column)] ??= text;
    if (!shown.includes(column) && !hidden.has(column)) hidden.set(column, `${column.field.label}: ${text}`);
  }
  return { cells, hidden: [...hidden.values()] };
}

/** Errors of a response by the cell that they are about: `products.3.price` is that of the fourth change. Others stand at no shown cell. */
export function errorsByCell(
  errors: readonly FieldError[],
  changes: readonly Change[],
  { all, shown }: { all: readonly Column[]; shown: readonly Column[] },
  textOf: (error: FieldError) => string,
): { cells: CellErrors; others: string[] } {
  const found: CellError[] = [];
  const others: string[] = [];
  for (const error of errors) {
    const [place, index, name] = /^products\.(\d+)\.((?:custom\.)?\w+)/.exec(error.field) ?? [];
    const column = all.find(({ key }) => key === name);
    const id = changes[Number(index)]?.id;
    const text = textOf({ ...error, message: error.message.replace(`${place} `, '') });
    if (column === undefined || id === undefined) others.push(text);
    else found.push({ id, column, text });
  }
  const { cells, hidden } = byCell(found, shown);
  return { cells, others: [...hidden, ...others] };
}
