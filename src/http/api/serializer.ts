import fastJson from 'fast-json-stringify';
import { RawJson } from '../../lib/raw-json.ts';
import { type Endpoint, recordSchemaOf, recordsField } from './endpoint.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Characters produced and encoded at once: about a millisecond. */
export const PIECE_LENGTH = 131_072;

export interface Serializer {
  /** Returns the whole JSON text. */
  text(data: unknown): string;
  /** For a list: returns the JSON of one record, or of several separated by commas if they come from SQL. */
  record(record: unknown): string;
  /** Yields the text in pieces, at least one, each made on request: a list can have 100 records of 140 KiB. */
  pieces(data: unknown): Generator<string, void>;
}

/** Serialises records with the compiled response schema; JSON text from SQL is passed through. */
export function serializerOf(endpoint: Endpoint): Serializer {
  const schema = recordSchemaOf(endpoint);
  const field = recordsField(endpoint);
  let compiled: ((data: unknown) => string) | null = null;

  function record(value: unknown): string {
    if (value instanceof RawJson) return value.text;
    // Compiled on first use, like the validators.
    compiled ??= fastJson(schema ?? endpoint.data);
    return compiled(value);
  }

  /** For a list, yields a text per record with its separator. */
  function* partsOf(data: unknown): Generator<string, void> {
    if (schema === undefined || data instanceof RawJson) return yield record(data);
    if (field === null) return yield* arrayOf(data as unknown[], '[', ']');
    const { [field]: records, ...others } = data as Record<string, unknown>;
    yield* arrayOf(records as unknown[], `{${JSON.stringify(field)}:[`, `],${JSON.stringify(others).slice(1)}`);
  }

  function* arrayOf(records: readonly unknown[], before: string, after: string): Generator<string, void> {
    let separator = before;
    for (const value of records) {
      yield separator + record(value);
      separator = ',';
    }
    yield separator === ',' ? after : before + after;
  }

  return {
    record,
    text: (data) => [...partsOf(data)].join(''),
    *pieces(data) {
      let text = '';
      for (const part of partsOf(data)) {
        // The rest of the previous part is too short to be sent by itself.
        text += part;
        if (text.length < PIECE_LENGTH) continue;
        const slices = [...slicesOf(text)];
        text = slices.pop()!;
        yield* slices;
      }
      yield text;
    },
  };
}

/** Yields at least one slice; only the last is shorter. No slice splits a character, because each is encoded by itself. */
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
