import Type, { type Static, type TSchema } from 'typebox';

/** Schema fragments shared by many contracts. Keywords that begin with `x-` are ours (see validation.ts). */

/** `schema` or null, in the form that response serialisers handle without trying alternatives. */
export function Nullable<S extends TSchema>(schema: S) {
  const { type, ...rest } = schema as unknown as { type: string; enum?: unknown[] };
  const values = rest.enum === undefined ? {} : { enum: [...rest.enum, null] };
  return Type.Unsafe<Static<S> | null>({ ...rest, ...values, type: [type, 'null'] });
}

/** Text that is trimmed of outer white space before its length counts: names, e-mail addresses. */
export function Trimmed(options: { minLength?: number; maxLength: number; description?: string; format?: string }) {
  return Type.String({ ...options, 'x-trim': true });
}

export function OneOf<const T extends readonly string[]>(values: T, options: object = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

/** An id: a positive integer up to 2^53−1. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** A calendar date, YYYY-MM-DD. */
export const CalendarDate = Type.String({ format: 'date', description: 'YYYY-MM-DD' });

/** Free-form JSON object. */
export const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

/** Texts of one query parameter that occurs several times. */
const MAX_TEXTS = 100;

/**
 * The query parameters `{name}.{key}` for any key, in place of one with the property's own name: an object with the texts of each key. The
 * parameter may be repeated, and each of its texts may be several, separated by commas (see `alternatives`).
 */
export function Dotted(options: { key: string; maxLength: number; maxProperties: number; description: string }) {
  const { key, maxLength, maxProperties, description } = options;
  const texts = Type.Array(Type.String({ maxLength }), { maxItems: MAX_TEXTS });
  return Type.Unsafe<Record<string, string[]>>({
    type: 'object',
    'x-dotted': key,
    maxProperties,
    additionalProperties: texts,
    description,
  });
}

/** What a text of `Dotted` may mean: the whole of it, or one of its parts between commas. */
export function alternatives(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [text, ...text.split(',')]).map((text) => text.trim()))];
}

/** Query of a paginated list; a `per_page` over the maximum is lowered to it. */
export function pageQuery(defaultPerPage: number) {
  return {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
    per_page: Type.Optional(Type.Integer({ minimum: 1, default: defaultPerPage, 'x-cap': 100 })),
  };
}

/** Replaces `page`: the records that follow the one with this id, found directly however far back. */
export function Before(id: string) {
  return Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `Instead of \`page\`: the \`${id}\` of the last record of the previous page; returns older records`,
  });
}

/** The path parameter `{id}`. */
export const IdParams = Type.Object({ id: Id });

/** Of background work. */
export const RequestIdOfCause = Nullable(
  Type.String({
    description: 'The X-Request-Id of the request that caused it; null where none did, or it is not known',
  }),
);
