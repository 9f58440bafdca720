import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { AppError } from '../../errors.ts';
import { isStorable } from '../../lib/storable.ts';

export const MAX_COLUMNS = 500;
export const MAX_ROWS = 1_500_000;
/** Longest row in characters, including its line breaks. */
export const MAX_ROW_LENGTH = 1_048_576;

/** A row of a CSV file. The header is row 1, as in a spreadsheet; empty rows are counted but not returned. */
export interface CsvRow {
  row: number;
  cells: string[];
  /** Why the row cannot be read. */
  fault?: string;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;

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
 * Parses CSV (RFC 4180) in constant memory. Yields the rows of one piece of text at a time, and lets the event loop run in between. A row
 * with wrong quotes becomes a fault of its own. Throws bad_request if a row cannot be told from the next.
 */
export async function* rowsOf(text: AsyncIterable<string>): AsyncGenerator<CsvRow[]> {
  let rows: CsvRow[] = [];
  let row = 0;
  let failure: Error | null = null;
  /** Line of the last fault: a row reports as many faults as it has wrong quotes. */
  let faultyLine = 0;
  let parser: ReturnType<typeof parse> | undefined;
  /** The text before there is a parser. */
  let start = '';

  const create = (beginning: string, delimiter: string): ReturnType<typeof parse> => {
    const made = parse({
      delimiter,
      record_delimiter: lineEndsOf(beginning),
      relax_column_count: true,
      skip_records_with_error: true,
      max_record_size: MAX_ROW_LENGTH,
      on_record: (cells: string[]) => {
        row++;
        if (cells.length > 1 || cells[0] !== '') rows.push(checked(row, cells));
        // Rows are collected here; none reach the stream.
        return null;
      },
    });
    made.on('skip', (error: CsvError & { lines: number }) => {
      if (error.code !== 'CSV_MAX_RECORD_SIZE' && error.lines === faultyLine) return;
      faultyLine = error.lines;
      row++;
      // Rows behind it can no longer be told apart.
      if (error.code === 'CSV_MAX_RECORD_SIZE') failure ??= tooLong(row);
      else rows.push({ row, cells: [], fault: 'The quotes of this row are wrong' });
    });
    made.on('error', (error: Error) => {
      failure ??= error;
    });
    made.resume();
    return made;
  };

  const begin = (): ReturnType<typeof parse> => {
    const named = NAMED_DELIMITER.exec(start);
    const rest = named === null ? start : start.slice(named[0].length);
    const made = create(rest, named?.[1] ?? delimiterOf(rest));
    made.write(rest);
    return made;
  };

  for await (const piece of text) {
    if (parser === undefined) {
      start += piece;
      if (start.length >= START) parser = begin();
    } else parser.write(piece);
    refuse();
    if (rows.length > 0) {
      yield rows;
      rows = [];
    }
    await setImmediate();
  }
  if (parser === undefined && start === '') return;
  parser ??= begin();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  parser.once('end', resolve).once('error', () => resolve());
  parser.end();
  await closed;
  refuse();
  if (rows.length > 0) yield rows;

  function refuse(): void {
    if (row > MAX_ROWS + 1) throw new AppError('bad_request', `A file has at most ${MAX_ROWS} rows`);
    if (failure === null) return;
    if (failure instanceof CsvError && failure.code === 'CSV_MAX_RECORD_SIZE') throw tooLong(row + 1);
    throw failure;
  }
}

function tooLong(row: number): AppError {
  const message = `Row ${row} is longer than ${MAX_ROW_LENGTH} characters, or a quote in it is not closed`;
  return new AppError('bad_request', message);
}

function checked(row: number, cells: string[]): CsvRow {
  if (cells.length > MAX_COLUMNS) return { row, cells: [], fault: `A row has at most ${MAX_COLUMNS} columns` };
  for (const cell of cells) {
    if (!isStorable(cell)) return { row, cells: [], fault: 'The row contains invalid characters (NUL)' };
  }
  return { row, cells };
}
