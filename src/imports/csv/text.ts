import { AppError } from '../../errors.ts';

export const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The encoding that the file's first bytes announce, if any. */
function announced(start: Buffer): { encoding: string; skip: number } | null {
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) return { encoding: 'utf-8', skip: 3 };
  if (start[0] === 0xff && start[1] === 0xfe) return { encoding: 'utf-16le', skip: 2 };
  if (start[0] === 0xfe && start[1] === 0xff) return { encoding: 'utf-16be', skip: 2 };
  return null;
}

type Decoder = InstanceType<typeof TextDecoder>;

/** Characters that are parsed at once: some 2 ms. */
const PIECE = 32_768;

/**
 * The text of a file, in pieces. The bytes decide where they begin with a byte order mark, else `given`, else it is UTF-8.
 * Throws bad_request for bytes that are not in the encoding.
 */
export async function* textOf(chunks: AsyncIterable<Buffer>, given: Encoding | undefined): AsyncGenerator<string> {
  let decoder: Decoder | undefined;
  let encoding: string = given ?? 'utf-8';
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (decoder === undefined) {
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
