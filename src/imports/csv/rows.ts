import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { isStorable } from '../../lib/storable.ts';
import { MAX_RECORD_BYTES, Records, RecordTooLong } from './records.ts';

export const MAX_COLUMNS = 500;
export const MAX_ROWS = 1_500_000;

/** A row of a CSV file. The header is row 1, as in a spreadsheet; empty rows are counted but not returned. */
export interface CsvRow {
  row: number;
  /** Of a row with wrong quotes, the line as it is. */
  cells: string[];
  /** Why the row cannot be read. */
  fault?: string;
}

export const DELIMITERS = [',', ';', '\t', '|'] as const;

/** A first line that names the delimiter, which spreadsheets write and do not show. */
const NAMED_DELIMITER = /^sep=([,;\t|])(?:\r\n|\r|\n)/i;
/** Characters of the beginning, which decides how all of the text is read: delimiter and line ends. */
const START = 32_768;

function outsideOfQuotes(start: string): string {
  return start.replace(/"(?:[^"]|"")*"/g, '');
}

/** Returns the delimiter that occurs most often in the header, outside of quotes. */
export function delimiterOf(start: string): string {
  const line = outsideOfQuotes(start).split(/\r?\n|\r/, 1)[0]!;
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

/** Joined files may have both CRLF and LF. A CR alone ends rows only if it ends the header: otherwise it is part of its cell. */
function lineEndsOf(start: string): string[] {
  const isOldMac = /^[^\r\n]*\r[^\n]/.test(outsideOfQuotes(start));
  return isOldMac ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'];
}

/**
 * Parses CSV (RFC 4180) in constant memory. Yields the rows of one piece of text at a time, and lets the event loop run in between. A line
 * with wrong quotes becomes a fault of its own. Reads little further than the row `last`. Throws bad_request if a row cannot be
 * told from the next.
 */
export async function* rowsOf(text: AsyncIterable<string>, last = MAX_ROWS + 2): AsyncGenerator<CsvRow[]> {
  let rows: CsvRow[] = [];
  let row = 0;
  /** Those of the header. */
  let columns = 0;
  let records: Records | undefined;
  /** The text before its delimiter is known. */
  let start = '';

  const begin = (): Records => {
    const named = NAMED_DELIMITER.exec(start);
    start = named === null ? start : start.slice(named[0].length);
    return new Records({
      delimiter: named?.[1] ?? delimiterOf(start),
      lineEnds: lineEndsOf(start),
      onRecord(cells) {
        row++;
        if (typeof cells === 'string') {
          rows.push({ row, cells: isStorable(cells) ? [cells] : [], fault: 'The quotes of this row are wrong' });
        } else if (cells.length > 1 || cells[0] !== '') {
          if (row === 1) columns = cells.length;
          rows.push(checked(row, cells, columns));
        }
      },
      isEnough: () => row >= last,
    });
  };
  const read = async (reading: Promise<void>): Promise<void> => {
    try {
      await reading;
    } catch (error) {
      throw error instanceof RecordTooLong ? tooLong(row + 1) : error;
    }
    if (row > MAX_ROWS + 1) throw new AppError('bad_request', `A file has at most ${MAX_ROWS} rows`);
  };

  for await (const piece of text) {
    if (records !== undefined) await read(records.write(piece));
    else {
      start += piece;
      if (start.length >= START) {
        records = begin();
        await read(records.write(start));
      }
    }
    if (rows.length > 0) {
      yield rows;
      rows = [];
    }
    if (row >= last) return;
    await setImmediate();
  }
  if (records === undefined) {
    if (start === '') return;
    records = begin();
    await read(records.write(start));
  }
  if (row < last) await read(records.end());
  if (rows.length > 0) yield rows;
}

function tooLong(row: number): AppError {
  const message = `Row ${row} is longer than ${MAX_RECORD_BYTES} characters, or a quote in it is not closed`;
  return new AppError('bad_request', message);
}

function checked(row: number, cells: string[], columns: number): CsvRow {
  if (cells.length > MAX_COLUMNS) return { row, cells: [], fault: `A row has at most ${MAX_COLUMNS} columns` };
  for (const cell of cells) {
    if (!isStorable(cell)) return { row, cells: [], fault: 'The row contains invalid characters (NUL)' };
  }
  // Spreadsheets write empty cells behind the last column.
  if (cells.length > columns && cells.slice(columns).some((cell) => cell.trim() !== '')) {
    return { row, cells, fault: `The row has ${cells.length} cells, and the file ${columns} columns` };
  }
  return { row, cells };
}
