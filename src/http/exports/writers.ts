import type { TSchema } from 'typebox';
import { csvLine } from '../../lib/csv/write.ts';
import type { Endpoint } from '../api/endpoint.ts';
import { PIECE_LENGTH } from '../api/serializer.ts';
import type { Format } from './format.ts';
import type { Shown } from './records.ts';

interface Schema {
  items?: Schema;
  properties?: Record<string, TSchema>;
}

/** The schema of a list's records. */
export function recordSchemaOf({ data, inOrderOf }: Endpoint): TSchema {
  const list = inOrderOf !== undefined && 'cursor' in inOrderOf ? (data as Schema).properties![inOrderOf.cursor] : data;
  return (list as Schema).items as TSchema;
}

/** Spreadsheets take a file without it for one in the code page of the computer. */
const BYTE_ORDER_MARK = '\uFEFF';

/** The pieces of a file: of CSV the fields of the records' schema, what is no plain value as JSON. */
export async function* written(
  pages: AsyncIterable<Shown[]>,
  { endpoint, format, forSpreadsheet }: { endpoint: Endpoint; format: Format; forSpreadsheet: boolean },
): AsyncGenerator<string> {
  if (format === 'jsonl') return yield* inPieces(pages, (record) => `${JSON.stringify(record)}\n`);
  const columns = Object.keys((recordSchemaOf(endpoint) as Schema).properties!);
  yield (forSpreadsheet ? BYTE_ORDER_MARK : '') + csvLine(columns);
  yield* inPieces(pages, (record) => csvLine(columns.map((column) => record[column])));
}

/** Records in pieces that are sent before the next is made. */
async function* inPieces(pages: AsyncIterable<Shown[]>, lineOf: (record: Shown) => string): AsyncGenerator<string> {
  for await (const page of pages) {
    let text = '';
    for (const record of page) {
      text += lineOf(record);
      if (text.length < PIECE_LENGTH) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
}
