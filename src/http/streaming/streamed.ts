import fastJson from 'fast-json-stringify';
import type { TObject, TSchema } from 'typebox';
import { JsonPages, type Streamed } from '../../lib/streamed.ts';

/*
 * Responses that are sent while they are read. An endpoint whose response has no bound (an export of everything about somebody)
 * is made so in three steps:
 *
 * 1. In its contract it is a GET with `streams: true`; `data` describes the whole object, as of any other endpoint.
 * 2. Its handler looks at all that may be refused first (not_found), and gives a `Streamed` (src/lib/streamed.ts): the object's fields, each a value,
 *    or `JsonPages` for an array without a bound. `keysetPages` (src/db/keyset-pages.ts) reads such pages, each by a short statement.
 * 3. Nothing else: the envelope, back-pressure, the end where the client goes away or stands still, and how many are sent at
 *    once to a company and by the process are this folder's (see send.ts and slots.ts).
 *
 * The status is sent before the last page is read. Where a page cannot be read the connection is cut: what has come then is no
 * whole JSON text, and no client takes it for one.
 */

/** Texts shorter than this are sent together. */
const CHUNK_LENGTH = 16_384;

/** Writes such responses as JSON, in pieces: a value by its schema, of an array page by page. */
export function streamWriterOf(schema: TSchema): (response: Streamed) => AsyncGenerator<string> {
  const properties = Object.entries((schema as TObject).properties);
  const writers = new Map<string, (value: unknown) => string>();
  const write = (name: string, property: TSchema, value: unknown): string => {
    let writer = writers.get(name);
    // As late as the validators.
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
