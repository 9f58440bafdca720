import { setImmediate } from 'node:timers/promises';
import type { TObject } from 'typebox';
import { csvLine } from '../../lib/csv/write.ts';
import { type Endpoint, recordSchemaOf } from '../api/endpoint.ts';
import { PIECE_LENGTH } from '../api/serializer.ts';
import type { Format } from './format.ts';
import type { Shown } from './records.ts';

/** Without it, spreadsheets assume the computer's legacy code page. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Yields the pieces of a file. CSV has the fields of the records' schema; values that are not plain are JSON. */
export async function* written(
  pages: AsyncIterable<Shown[]>,
  { endpoint, format, forSpreadsheet }: { endpoint: Endpoint; format: Format; forSpreadsheet: boolean },
): AsyncGenerator<string> {
  if (format === 'jsonl') return yield* inPieces(pages, (record) => `${JSON.stringify(record)}\n`);
  const columns = Object.keys((recordSchemaOf(endpoint) as TObject).properties);
  yield (forSpreadsheet ? BYTE_ORDER_MARK : '') + csvLine(columns);
  yield* inPieces(pages, (record) => csvLine(columns.map((column) => record[column])));
}

/** Yields records in pieces; other requests are served between two. */
async function* inPieces(pages: AsyncIterable<Shown[]>, lineOf: (record: Shown) => string): AsyncGenerator<string> {
  for await (const page of pages) {
    let text = '';
    for (const record of page) {
      text += lineOf(record);
      if (text.length < PIECE_LENGTH) continue;
      yield text;
      text = '';
      await setImmediate();
    }
    if (text !== '') yield text;
  }
}
