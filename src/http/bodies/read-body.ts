import type { TSchema } from 'typebox';
import { type AppError, validationFailed } from '../../errors.ts';
import { dropIgnored, ignoredFields } from '../../lib/validation/ignored-fields.ts';
import { validatorOf } from '../../lib/validation/validation.ts';
import { parseBody } from './parse-body.ts';

/** What a body holds for its endpoint, or why it is refused. */
export interface BodyRead {
  /** Without the fields that the endpoint does not know. */
  body: Record<string, unknown>;
  /** The names of those, as a header shows them. */
  ignored: string;
  /** It names every field that is wrong; `body` is not to be used then. */
  refusal: AppError | null;
}

/** Reads the bodies of an endpoint with this schema. @throws AppError for what is no body at all */
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
