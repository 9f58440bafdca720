import type { FieldError } from '../../../api/errors.ts';
import { twoReadings } from '../../../ui/form/numbers.ts';
import { bodyOfFields, bodyValue, type Field, type FieldContext, isPrecise } from '../../../ui/form/values.ts';

export const COLUMNS = ['sku', 'price', 'stock_qty'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Variant {
  id: number;
  sku: string | null;
  price: number;
  stock_qty: number;
  track_stock: boolean | null;
}

/** What was typed into cells, by the variant's id and the column. */
export type Edits = Readonly<Record<number, Readonly<Partial<Record<Column, string>>>>>;
/** What to change of a variant. */
export interface Change {
  id: number;
  sku?: string | null;
  price?: number;
  stock_qty?: number;
}
/** Texts of errors, by cell. */
export type CellErrors = Readonly<Record<string, string>>;

/** The server changes so many products at once. */
export const MOST_CHANGES = 500;

const pricesByCurrency = new Map<string, Field>();

/** The field of a column. Asking Intl for the decimals of the currency would take too long for each cell of a large table. */
function fieldOf(column: Column, { currency }: FieldContext): Field {
  if (column !== 'price') return { name: column, label: '', type: column === 'sku' ? 'text' : 'number' };
  const money: Field = { name: column, label: '', type: 'money' };
  const found = pricesByCurrency.get(currency) ?? (isPrecise(money, currency) ? money : { ...money, type: 'number' });
  pricesByCurrency.set(currency, found);
  return found;
}

export const cellKey = (id: number, column: Column): string => `${id}.${column}`;

export function isEditable(variant: Variant, column: Column): boolean {
  return column !== 'stock_qty' || variant.track_stock === true;
}

/** What a cell shows before it is edited. */
export function storedText(variant: Variant, column: Column): string {
  return String(variant[column] ?? '');
}

export function textIn(edits: Edits, variant: Variant, column: Column): string {
  return edits[variant.id]?.[column] ?? storedText(variant, column);
}

/** The cells of a block that was copied from a spreadsheet. */
export function blockOf(clipboard: string): string[][] {
  const lines = clipboard.replace(/\r?\n$/, '').split(/\r?\n/);
  return lines.map((line) => line.split('\t').map((cell) => cell.trim()));
}

/** A number without what spreadsheets put around it: `€ 1.250,00` becomes `1250,00`. */
function plainNumber(text: string): string {
  const bare = text.replace(/[^\d.,-]/g, '');
  if (!/\d/.test(bare)) return text;
  const isPoint = bare.lastIndexOf('.') > bare.lastIndexOf(',');
  const [whole, ...others] = bare.replaceAll(isPoint ? ',' : '.', '').split(isPoint ? '.' : ',');
  // A separator that occurs twice is one of thousands.
  return others.length > 1 ? [whole, ...others].join('') : [whole, ...others].join(isPoint ? '.' : ',');
}

/** Sets the text of one cell. */
export function withText(edits: Edits, id: number, column: Column, text: string): Edits {
  return { ...edits, [id]: { ...edits[id], [column]: text } };
}

/** Fills the cells to the right of and below a cell with a block; what has no editable cell is left out. */
export function withBlock(
  edits: Edits,
  variants: readonly Variant[],
  { row, column }: { row: number; column: Column },
  block: readonly (readonly string[])[],
): Edits {
  const first = COLUMNS.indexOf(column);
  const filled = new Map(Object.entries(edits).map(([id, texts]) => [Number(id), texts]));
  block.forEach((cells, i) => {
    const variant = variants[row + i];
    if (variant === undefined) return;
    const texts = cells.flatMap((text, k): [Column, string][] => {
      const target = COLUMNS[first + k];
      if (target === undefined || !isEditable(variant, target)) return [];
      return [[target, target === 'sku' ? text : plainNumber(text)]];
    });
    filled.set(variant.id, { ...filled.get(variant.id), ...Object.fromEntries(texts) });
  });
  return Object.fromEntries(filled);
}

/** Sets one text in a column of several variants. */
export function withColumn(edits: Edits, variants: readonly Variant[], column: Column, text: string): Edits {
  const editable = variants.filter((variant) => isEditable(variant, column));
  return { ...edits, ...Object.fromEntries(editable.map(({ id }) => [id, { ...edits[id], [column]: text }])) };
}

/** Whether saving would change the cell: `12.50` is no change of `12.5`. */
export function isChanged(edits: Edits, variant: Variant, column: Column, context: FieldContext): boolean {
  const typed = edits[variant.id]?.[column];
  if (typed === undefined || !isEditable(variant, column)) return false;
  return (
    typed !== storedText(variant, column) && bodyValue(fieldOf(column, context), typed, context) !== variant[column]
  );
}

/** What was typed and differs from what is stored, in the order of the variants. */
export function changesOf(edits: Edits, variants: readonly Variant[], context: FieldContext): Change[] {
  return variants.flatMap((variant): Change[] => {
    const columns = COLUMNS.filter((column) => isChanged(edits, variant, column, context));
    if (columns.length === 0) return [];
    const fields = columns.map((column) => fieldOf(column, context));
    const texts = Object.fromEntries(columns.map((column) => [column, textIn(edits, variant, column)]));
    return [{ ...bodyOfFields<Omit<Change, 'id'>>(fields, texts, context), id: variant.id }];
  });
}

/** Numbers that can be read in two ways, with both, by cell. */
export function ambiguousCells(
  edits: Edits,
  variants: readonly Variant[],
  context: FieldContext,
): { key: string; text: string; readings: [string, string] }[] {
  return variants.flatMap((variant) =>
    COLUMNS.flatMap((column) => {
      const isNumber = column !== 'sku' && !isPrecise(fieldOf(column, context), context.currency);
      if (!isNumber || !isChanged(edits, variant, column, context)) return [];
      const text = textIn(edits, variant, column);
      const readings = twoReadings(text);
      return readings === null ? [] : [{ key: cellKey(variant.id, column), text, readings }];
    }),
  );
}

/** Leaves out what has been saved, unless something else was typed meanwhile. */
export function withoutSaved(edits: Edits, saved: readonly Change[], sent: Edits): Edits {
  const ids = new Set(saved.map(({ id }) => id));
  const left = Object.entries(edits).flatMap(([key, texts]) => {
    const id = Number(key);
    if (!ids.has(id)) return [[id, texts] as const];
    const newer = Object.entries(texts).filter(([column, text]) => sent[id]?.[column as Column] !== text);
    return newer.length === 0 ? [] : [[id, Object.fromEntries(newer)] as const];
  });
  return Object.fromEntries(left);
}

export function chunksOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

/** Errors of a response by the cell that they are about: `products.3.price` is that of the fourth change. */
export function errorsByCell(
  errors: readonly FieldError[],
  changes: readonly Change[],
  textOf: (error: FieldError) => string,
): { cells: CellErrors; others: string[] } {
  const cells: Record<string, string> = {};
  const others: string[] = [];
  for (const error of errors) {
    const [place, index, name] = /^products\.(\d+)\.(\w+)/.exec(error.field) ?? [];
    const column = COLUMNS.find((one) => one === name);
    const id = changes[Number(index)]?.id;
    const text = textOf({ ...error, message: error.message.replace(`${place} `, '') });
    if (column === undefined || id === undefined) others.push(text);
    else cells[cellKey(id, column)] ??= text;
  }
  return { cells, others };
}
