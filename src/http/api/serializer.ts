import fastJson from 'fast-json-stringify';
import { RawJson } from '../../lib/raw-json.ts';
import type { Endpoint } from './endpoint.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** So many characters are made, and encoded, at once: about a millisecond. */
export const PIECE_LENGTH = 131_072;

export interface Serializer {
  /** The whole JSON text. */
  text(data: unknown): string;
  /** Of a list, that of a record; or of some records with commas between them, where SQL has made it. */
  record(record: unknown): string;
  /** The whole in pieces, at least one, each made when it is asked for: a list can have 100 records of 140 KiB. */
  pieces(data: unknown): Generator<string, void>;
}

/** Serialises records by the compiled response schema; JSON texts from SQL pass as they are. */
export function serializerOf(endpoint: Endpoint): Serializer {
  const schema = endpoint.data as { type?: string; items?: object };
  const isList = schema.type === 'array';
  let compiled: ((data: unknown) => string) | null = null;

  function record(value: unknown): string {
    if (value instanceof RawJson) return value.text;
    // Compiled at the first use, like the validators.
    compiled ??= fastJson(isList ? schema.items! : schema);
    return compiled(value);
  }

  return {
    record,
    text: (data) => (isList ? `[${(data as unknown[]).map(record).join(',')}]` : record(data)),
    *pieces(data) {
      if (!isList) return yield* slicesOf(record(data));
      let text = '[';
      let separator = '';
      for (const value of data as unknown[]) {
        text += separator + record(value);
        separator = ',';
        if (text.length < PIECE_LENGTH) continue;
        yield* slicesOf(text);
        text = '';
      }
      yield `${text}]`;
    },
  };
}

/** No piece ends within a character: each is encoded by itself. */
function* slicesOf(text: string): Generator<string, void> {
  let start = 0;
  while (text.length - start > PIECE_LENGTH) {
    const end = start + PIECE_LENGTH;
    const isCut = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    yield text.slice(start, isCut ? end - 1 : end);
    start = isCut ? end - 1 : end;
  }
  yield text.slice(start);
}
