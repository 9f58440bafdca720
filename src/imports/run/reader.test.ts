import { expect, test } from 'vitest';
import type { CsvRow } from '../csv/rows.ts';
import { formatNamed } from '../formats/registry.ts';
import type { ImportContext, ImportKind } from '../kinds/kind.ts';
import { RowFault } from '../kinds/values.ts';
import { batchesOf } from './reader.ts';

const ROWS = 100_000;
const SIZE = 500;

const kind: ImportKind<string> = {
  read({ row }) {
    if (row % 10 !== 0) throw new RowFault('email', 'is no address');
    return [{ key: row % 20 === 0 ? 'same' : String(row), record: String(row) }];
  },
  check: async () => [],
  write: async () => ({ outcomes: [], journal: [] }),
};

async function* file(rowOf: (row: number) => CsvRow): AsyncGenerator<CsvRow[]> {
  for (let row = 1; row <= ROWS + 1; row += 1_000) {
    yield Array.from({ length: Math.min(1_000, ROWS + 2 - row) }, (_, i) => rowOf(row + i));
  }
}

const batches = async (rowOf: (row: number) => CsvRow) => {
  const format = formatNamed('csv-contacts')!;
  const context = {} as ImportContext;
  const sizes: number[] = [];
  let position = 0;
  let rows = 0;
  for await (const batch of batchesOf(file(rowOf), {
    format,
    mapping: ['email'],
    kind,
    context,
    kin: null,
    size: SIZE,
  })) {
    const found = [...batch.records, ...batch.findings].map(({ row }) => row);
    expect(Math.min(...found)).toBeGreaterThan(position);
    expect(Math.max(...found)).toBe(batch.through);
    position = batch.through;
    rows += found.length;
    sizes.push(found.length);
  }
  return { rows, position, most: Math.max(...sizes) };
};

test('a file of rows that are refused comes in batches as large as one of records', async () => {
  const expected = { rows: ROWS, position: ROWS + 1, most: SIZE };
  expect(await batches((row) => ({ row, cells: [`nobody ${row}`] }))).toEqual(expected);
  expect(await batches((row) => ({ row, cells: [], fault: 'The quotes of this row are wrong' }))).toEqual(expected);
});
