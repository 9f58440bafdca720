import { AppError } from '../../errors.ts';

export const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Returns the encoding of the file's byte order mark, if it has one. */
function announced(start: Buffer): { encoding: string; skip: number } | null {
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) return { encoding: 'utf-8', skip: 3 };
  if (start[0] === 0xff && start[1] === 0xfe) return { encoding: 'utf-16le', skip: 2 };
  if (start[0] === 0xfe && start[1] === 0xff) return { encoding: 'utf-16be', skip: 2 };
  return null;
}

/** Files that people mistake for CSV, by their first bytes. */
const OTHERS: readonly { start: Buffer; what: string; instead: string }[] = [
  {
    start: Buffer.from('PK\x03\x04'),
    what: 'a ZIP archive or an Excel workbook (.xlsx)',
    instead: 'unpack the archive, or save the workbook as CSV, and upload that',
  },
  {
    start: Buffer.from([0xd0, 0xcf, 0x11, 0xe0]),
    what: 'an Excel workbook (.xls)',
    instead: 'save it as CSV, and upload that',
  },
  { start: Buffer.from([0x1f, 0x8b]), what: 'compressed by gzip', instead: 'unpack it, and upload the CSV' },
];

/** Checked before the encoding, because in some encodings such bytes are text. */
function refuseOthers(chunk: Buffer): void {
  const other = OTHERS.find(({ start }) => chunk.subarray(0, start.length).equals(start));
  if (other !== undefined) throw new AppError('bad_request', `The file is ${other.what}: ${other.instead}`);
}

type Decoder = InstanceType<typeof TextDecoder>;

/** Characters that are parsed at once; takes some 2 ms. */
const PIECE = 32_768;

/**
 * Yields the text of a file, in pieces. A byte order mark decides the encoding, otherwise `given`, otherwise it is UTF-8. Throws
 * bad_request for bytes that are invalid in the encoding.
 */
export async function* textOf(chunks: AsyncIterable<Buffer>, given: Encoding | undefined): AsyncGenerator<string> {
  let decoder: Decoder | undefined;
  let encoding: string = given ?? 'utf-8';
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (decoder === undefined) {
      refuseOthers(chunk);
      const mark = announced(chunk);
      if (mark !== null) encoding = mark.encoding;
      bytes = chunk.subarray(mark?.skip ?? 0);
      decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    }
    yield* pieces(decode(decoder, encoding, bytes));
  }
  if (decoder !== undefined) yield* pieces(decode(decoder, encoding, undefined));
}

function decode(decoder: Decoder, encoding: string, bytes: Buffer | undefined): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    throw new AppError(
      'bad_request',
      `The file is not in ${encoding.toUpperCase()}: save it as UTF-8, or name its encoding`,
    );
  }
}

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE) yield text.slice(at, at + PIECE);
}
