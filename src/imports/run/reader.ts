import { setImmediate } from 'node:timers/promises';
import { monotonicMs } from '../../clock.ts';
import type { CsvRow } from '../csv/rows.ts';
import type { Fields, Format } from '../formats/format.ts';
import type { Kin } from '../formats/inheritance.ts';
import { fieldReader, type Mapping } from '../formats/mapping.ts';
import type { ImportContext, ImportKind } from '../kinds/kind.ts';
import { Skipped } from '../kinds/products.ts';
import { RowFault } from '../kinds/values.ts';
import { ROW } from '../readings/notices.ts';
import { SeenKeys } from './seen-keys.ts';

/** What is reported about a row. */
export interface Finding {
  outcome: 'refused' | 'skipped';
  row: number;
  field: string | null;
  reason: string;
  cells: string[] | null;
  /** Another row of a record that has a finding already, or a note about an imported one: it is not counted. */
  isPart?: true;
}

export interface ReadRecord<R> {
  row: number;
  record: R;
  cells: string[];
  /** The record's further rows, unless they were refused already. */
  others: readonly CsvRow[];
}

/** Some records of the file, with findings about rows that are not records. */
export interface Batch<R> {
  records: ReadRecord<R>[];
  findings: Finding[];
  /** The last row that the batch covers; the next batch begins after it. */
  through: number;
}

/** Most rows of one record: variants and pictures of a product, items of an order. */
const MAX_GROUP = 2_500;
/** Milliseconds after which the event loop may run. */
const TURN_MS = 4;

interface Group {
  first: CsvRow;
  fields: Fields[];
  others: CsvRow[];
  /** Its last row. */
  through: number;
  /** An adjacent row that cannot be read. */
  beside: number | null;
}

export interface ReaderOptions<R> {
  format: Format;
  mapping: Mapping;
  kind: ImportKind<R>;
  context: ImportContext;
  /** The rows to which others refer; null if each stands alone. */
  kin: Kin | null;
  /** Size of a batch: records and findings together. */
  size: number;
}

/** Yields the records of a file in batches, read on demand. The first row is the header and is skipped. */
export async function* batchesOf<R>(
  rows: AsyncIterable<CsvRow[]>,
  { format, mapping, kind, context, kin, size }: ReaderOptions<R>,
): AsyncGenerator<Batch<R>> {
  const read = fieldReader(format, mapping);
  const fieldsOf = (cells: string[]): Fields => kin?.complete(read(cells)) ?? read(cells);
  const seen = new SeenKeys();
  let batch = empty<R>();
  let group: Group | null = null;
  /** The previous row, if it cannot be read. */
  let unreadable: number | null = null;
  let began = monotonicMs();

  for await (const page of rows) {
    for (const row of page) {
      if (row.row === 1) continue;
      if (row.fault !== undefined) {
        if (group !== null) take({ ...group, beside: group.beside ?? row.row });
        group = null;
        unreadable = row.row;
        refuse(row, null, row.fault);
        batch.through = row.row;
        if (isFull()) yield next();
      } else {
        const fields = fieldsOf(row.cells);
        if (format.kind === 'products') fields[ROW] = String(row.row);
        if (group !== null && belongs(group, fields)) {
          group.through = row.row;
          if (group.fields.length <= MAX_GROUP) {
            group.fields.push(fields);
            group.others.push(row);
          }
        } else {
          if (group !== null) take(group);
          group = { first: row, fields: [fields], others: [], through: row.row, beside: unreadable };
          unreadable = null;
          if (isFull()) yield next();
        }
      }
      if (monotonicMs() - began < TURN_MS) continue;
      await setImmediate();
      began = monotonicMs();
    }
  }
  if (group !== null) take(group);
  if (batch.through > 0) yield batch;

  function isFull(): boolean {
    return batch.records.length + batch.findings.length >= size;
  }

  function next(): Batch<R> {
    const full = batch;
    batch = empty();
    return full;
  }

  function belongs({ fields }: Group, next: Fields): boolean {
    const { groupBy } = format;
    if (groupBy === undefined) return false;
    const own = next[groupBy];
    return own === undefined || own === fields[0]![groupBy];
  }

  function take({ first, fields, others, through, beside }: Group): void {
    batch.through = through;
    try {
      if (beside !== null && format.groupBy !== undefined) {
        throw new RowFault(null, `the adjacent row ${beside} cannot be read and may belong to it`);
      }
      if (fields.length > MAX_GROUP) throw new RowFault(null, `a record has at most ${MAX_GROUP} rows`);
      const records: R[] = [];
      let isRepeated = false;
      for (const { key, record, place = null, note = null } of kind.read({ row: first.row, rows: fields }, context)) {
        const repeated = seen.add(key, first.row);
        const taken = repeated !== null || place === null || place === key ? null : seen.add(place, first.row);
        if (repeated === null && taken === null) records.push(record);
        else refuse(first, null, taken === null ? `repeats row ${repeated}` : `has the options of row ${taken}`);
        isRepeated ||= repeated !== null || taken !== null;
        if (note !== null) {
          batch.findings.push({
            outcome: 'skipped',
            row: first.row,
            field: null,
            reason: note,
            cells: null,
            isPart: true,
          });
        }
      }
      if (isRepeated) batch.findings.push(...partsOf(first.row, others));
      const further = isRepeated ? [] : others;
      for (const record of records) batch.records.push({ row: first.row, record, cells: first.cells, others: further });
    } catch (error) {
      if (error instanceof RowFault) {
        const rows = [first, ...others];
        const faulty = rows[error.at ?? 0] ?? first;
        refuse(faulty, error.field, error.message);
        batch.findings.push(
          ...partsOf(
            faulty.row,
            rows.filter((row) => row !== faulty),
          ),
        );
      } else if (error instanceof Skipped) {
        batch.findings.push({ outcome: 'skipped', row: first.row, field: null, reason: error.message, cells: null });
      } else throw error;
    }
  }

  function refuse({ row, cells }: CsvRow, field: string | null, reason: string): void {
    batch.findings.push({ outcome: 'refused', row, field, reason, cells });
  }
}

/** Reports all rows of a refused record, so that whoever corrects it has the whole record. */
export function partsOf(first: number, others: readonly CsvRow[]): Finding[] {
  return others.map(({ row, cells }) => {
    const reason = `is a part of the record of row ${first}`;
    return { outcome: 'refused', row, field: null, reason, cells, isPart: true };
  });
}

function empty<R>(): Batch<R> {
  return { records: [], findings: [], through: 0 };
}
