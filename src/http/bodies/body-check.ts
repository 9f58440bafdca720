import type { TSchema } from 'typebox';
import { AppError, type ErrorCode } from '../../errors.ts';
import { bodyReaderOf } from './read-body.ts';

/** A body, and its endpoint's schema as JSON. */
export interface BodyCheckJob {
  schema: string;
  bytes: Uint8Array;
}

/** The result of checking a body in a thread. */
export interface CheckedBody {
  /** Names of the fields that the endpoint does not know, as shown in a header. */
  ignored: string;
  refusal: { code: ErrorCode; message: string; details: Record<string, unknown> } | null;
  /** The body without unknown fields, as JSON, if these made up most of it. */
  rest: string | null;
}

/** Parsing the rest instead only pays off if it is less than this share of the body. */
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

/** Parses a body like its endpoint and returns the findings. */
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

/** Converts an error for the transfer from a thread, which would lose its own fields. */
function plain({ code, message, details }: AppError): NonNullable<CheckedBody['refusal']> {
  return { code, message, details };
}
