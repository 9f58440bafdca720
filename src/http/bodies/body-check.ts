import type { TSchema } from 'typebox';
import { AppError, type ErrorCode } from '../../errors.ts';
import { bodyReaderOf } from './read-body.ts';

/** A body, and the schema of its endpoint as JSON. */
export interface BodyCheckJob {
  schema: string;
  bytes: Uint8Array;
}

/** What a thread says of a body. */
export interface CheckedBody {
  /** The names of the fields that the endpoint does not know, as a header shows them. */
  ignored: string;
  refusal: { code: ErrorCode; message: string; details: Record<string, unknown> } | null;
  /** The body without the fields that the endpoint does not know, as JSON, where these were most of it. */
  rest: string | null;
}

/** Less than so much of a body must be left for reading what is left to be worth its while. */
const MOST_LEFT = 0.5;

const readers = new Map<string, ReturnType<typeof bodyReaderOf>>();

function readerOf(schema: string): ReturnType<typeof bodyReaderOf> {
  let reader = readers.get(schema);
  if (reader === undefined) {
    reader = bodyReaderOf(JSON.parse(schema) as TSchema);
    readers.set(schema, reader);
  }
  return reader;
}

/** Reads a body as its endpoint would, and gives what is known of it afterwards. */
export function checkBody({ schema, bytes }: BodyCheckJob): CheckedBody {
  try {
    const { body, ignored, refusal } = readerOf(schema)(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (refusal !== null) return { ignored, refusal: plain(refusal), rest: null };
    const rest = ignored === '' ? null : JSON.stringify(body);
    return { ignored, refusal: null, rest: rest !== null && rest.length < MOST_LEFT * bytes.length ? rest : null };
  } catch (error) {
    if (error instanceof AppError) return { ignored: '', refusal: plain(error), rest: null };
    throw error;
  }
}

/** An error loses its own fields on the way out of a thread. */
function plain({ code, message, details }: AppError): NonNullable<CheckedBody['refusal']> {
  return { code, message, details };
}
