import fastJson from 'fast-json-stringify';
import type { TObject, TSchema } from 'typebox';
import { JsonPages, type Streamed } from '../../lib/streamed.ts';

/*
 * Responses that are sent while they are read. An endpoint whose response has no size limit (an export of everything about a person) takes
 * three steps:
 *
 * 1. Its contract is a GET with `streams: true`; `data` describes the whole object, as for any other endpoint.
 * 2. Its handler first checks everything that may be refused (not_found), and returns a `Streamed` (src/lib/streamed.ts): the object's
 * fields,
 * each a value, or `JsonPages` for an unlimited array. `keysetPages` (src/db/keyset-pages.ts) reads such pages with one short statement
 * each.
 * 3. Nothing else: the envelope, back-pressure, the end if the client disconnects or stalls, and the limits per company and process are
handled by send.ts and ../limits.ts.
 *
 * The status is sent before the last page is read. If a page cannot be read, the connection is cut: the incomplete text is not valid JSON,
 * so no client accepts it.
 */

/** Shorter texts are collected and sent together. */
const CHUNK_LENGTH = 16_384;

/** Writes such responses as JSON in pieces: values by their schema, arrays page by page. */
export function streamWriterOf(schema: TSchema): (response: Streamed) => AsyncGenerator<string> {
  const properties = Object.entries((schema as TObject).properties);
  const writers = new Map<string, (value: unknown) => string>();
  const write = (name: string, property: TSchema, value: unknown): string => {
    let writer = writers.get(name);
    // Compiled on first use, like the validators.
    if (writer === undefined) {
      writer = fastJson(property as object) as (value: unknown) => string;
      writers.set(name, writer);
    }
    return writer(value);
  };

  return async function* pieces({ fields }) {
    let text = '';
    let separator = '{';
    for (const [name, property] of properties) {
      const value = (fields as Record<string, unknown>)[name];
      if (value === undefined) continue;
      text += `${separator}${JSON.stringify(name)}:`;
      separator = ',';
      if (!(value instanceof JsonPages)) {
        text += write(name, property, value);
        continue;
      }
      let before = '[';
      for await (const page of value.pages) {
        if (page.length === 0) continue;
        text += before + page.join(',');
        before = ',';
        if (text.length < CHUNK_LENGTH) continue;
        yield text;
        text = '';
      }
      text += before === '[' ? '[]' : ']';
    }
    yield `${separator === '{' ? '{' : text}}`;
  };
}
