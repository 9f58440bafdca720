import { AppError } from '../errors.ts';
import { FairQueue } from '../lib/fair-queue.ts';
import { rowsOf } from './csv/rows.ts';

export const SAMPLE_ROWS = 5;
/** A preview looks at no more rows, some of which are empty or cannot be read, … */
const PREVIEWED_ROWS = 1_000;
/** … and at no more characters: a header and a sample of the longest rows have six million. */
const PREVIEWED_LENGTH = 8 * 2 ** 20;

/** Returns the header of a file and up to five rows behind it that can be read; nothing where the beginning has none. */
export async function firstRows(text: AsyncIterable<string>): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const page of rowsOf(beginningOf(text, PREVIEWED_LENGTH), PREVIEWED_ROWS)) {
    rows.push(...page.filter(({ fault }) => fault === undefined).map(({ cells }) => cells));
    if (rows.length > SAMPLE_ROWS) break;
  }
  return rows;
}

async function* beginningOf(text: AsyncIterable<string>, length: number): AsyncGenerator<string> {
  let left = length;
  for await (const piece of text) {
    yield piece;
    left -= piece.length;
    if (left <= 0) return;
  }
}

/** Files are parsed by the event loop that serves everybody: previews take turns, company by company. */
export function createPreviewQueue(): FairQueue {
  const refusal = (): AppError =>
    new AppError('rate_limited', 'Too many files are being looked at: try again in a moment', { retry_after: 2 });
  return new FairQueue({ capacity: 1, maxWaiting: 5, maxWaitMs: 5_000, refusal });
}
