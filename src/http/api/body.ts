import { isUtf8 } from 'node:buffer';
import type { TSchema } from 'typebox';
import { AppError, type FieldError, validationFailed } from '../../errors.ts';
import { isStorable, MAX_DEPTH } from '../../lib/storable.ts';
import { dropIgnored, ignoredFields } from '../../lib/validation/ignored-fields.ts';
import { validatorOf } from '../../lib/validation/validation.ts';

/**
 * Maximum number of values in a body, including nested ones. Parsing and checking a mebibyte of small values would block the event loop for
 * 250 ms; a batch of 500 contacts with 200 fields each stays below the limit.
 */
const MAX_VALUES = 100_000;

/** The body of a request without one. */
export const EMPTY_BODY = Buffer.alloc(0);

/** Maximum number of invalid texts listed in an error. */
const MAX_BAD_TEXTS = 100;

/** The content of a body for its endpoint, or why it is refused. */
export interface BodyRead {
  /** Without the fields that the endpoint does not know. */
  body: Record<string, unknown>;
  /** Names of the unknown fields, as shown in a header. */
  ignored: string;
  /** Names every invalid field; if set, `body` must not be used. */
  refusal: AppError | null;
}

/** Returns the body parser of an endpoint with this schema. @throws AppError for anything that is not a JSON body */
export function bodyReaderOf(schema: TSchema): (raw: Buffer) => BodyRead {
  const check = validatorOf(schema);
  return (raw) => {
    const body = parseBody(raw);
    const errors = check(body);
    const ignored = ignoredFields(schema, body);
    if (errors !== null) return { body, ignored, refusal: validationFailed(errors) };
    if (ignored !== '') dropIgnored(schema, body);
    return { body, ignored, refusal: null };
  };
}

/**
 * Parses a request body: an object in UTF-8 JSON of at most 100,000 values, nested at most 20 deep, without NUL and lone
 * surrogates in texts.
 */
export function parseBody(raw: Buffer): Record<string, unknown> {
  if (!isUtf8(raw)) throw new AppError('bad_request', notUtf8(raw));
  if (holdsMoreValues(raw, MAX_VALUES)) {
    throw new AppError('bad_request', `The body holds more than ${MAX_VALUES} values`);
  }
  const text = raw.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('bad_request', text.startsWith('\ufeff') ? MARKED : 'The body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('bad_request', 'The body must be a JSON object');
  }
  if (isDeeper(value, MAX_DEPTH)) {
    throw new AppError('bad_request', `The body is nested more than ${MAX_DEPTH} deep`);
  }
  // NUL and lone surrogates can only appear as escapes: raw ones are not valid JSON or UTF-8.
  if (/\\u(?:0000|d[89a-f])/i.test(text) && !hasStorableTexts(value)) {
    const bad: FieldError[] = [];
    nameBadTexts(value, '', bad);
    throw validationFailed(bad);
  }
  return value as Record<string, unknown>;
}

/** Some programs write it before all text, and no editor shows it. */
const MARKED = 'The body begins with a byte order mark: send it without';

function notUtf8(raw: Buffer): string {
  const isGzip = raw[0] === 0x1f && raw[1] === 0x8b;
  return isGzip ? 'The body is compressed. Send it uncompressed, without Content-Encoding' : 'The body is not UTF-8';
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Bytes outside strings: 1 for those followed by a value, 2 for closing brackets. */
const MARKS = new Uint8Array(256);
for (const mark of Buffer.from(',[{')) MARKS[mark] = 1;
for (const mark of Buffer.from(']}')) MARKS[mark] = 2;

/** Whether JSON holds more than `most` values, without parsing it. The result is arbitrary for anything that is not JSON. */
function holdsMoreValues(raw: Buffer, most: number): boolean {
  // Each value and its separator take a byte.
  if (raw.length < 2 * most) return false;
  let values = 1;
  // Whether there is anything since the bracket: an empty pair of brackets holds no value.
  let filled = true;
  for (let i = 0; i < raw.length; i++) {
    const byte = raw[i]!;
    const mark = MARKS[byte];
    if (mark === 1) {
      values++;
      filled = byte === 0x2c;
    } else if (mark === 2) {
      if (!filled) values--;
      filled = true;
    } else if (byte === QUOTE) {
      for (i++; i < raw.length && raw[i] !== QUOTE; i++) if (raw[i] === BACKSLASH) i++;
      filled = true;
    } else if (byte > 0x20) {
      filled = true;
    }
  }
  return values > most;
}

/** Arrays are handled separately: iterating over them by name cost 2 µs for each event of a large batch. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const inner of value)
      if (typeof inner === 'object' && inner !== null && isDeeper(inner, levels - 1)) return true;
    return false;
  }
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object' && inner !== null && isDeeper(inner, levels - 1)) return true;
  }
  return false;
}

function hasStorableTexts(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(hasStorableTexts);
  for (const key in value) {
    if (!isStorable(key) || !hasStorableTexts((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function nameBadTexts(value: unknown, path: string, bad: FieldError[]): void {
  if (bad.length >= MAX_BAD_TEXTS) return;
  if (typeof value === 'string') {
    if (isStorable(value)) return;
    bad.push({ field: path, code: 'invalid', message: `${path} contains invalid characters (NUL or lone surrogates)` });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key)) {
      bad.push({
        field: path,
        code: 'invalid',
        message: 'A field name contains invalid characters (NUL or lone surrogates)',
      });
    }
    nameBadTexts(inner, path === '' ? key : `${path}.${key}`, bad);
  }
}
