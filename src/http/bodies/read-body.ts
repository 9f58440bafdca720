import type { TSchema } from 'typebox';
import { type AppError, validationFailed } from '../../errors.ts';
import { dropIgnored, ignoredFields } from '../../lib/validation/ignored-fields.ts';
import { validatorOf } from '../../lib/validation/validation.ts';
import { parseBody } from './parse-body.ts';

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
