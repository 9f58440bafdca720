import { type FieldError, validationFailed } from '../../../errors.ts';
import { normaliseEmail, normalisePhone } from '../../../lib/addresses.ts';
import type { ContactPatch } from '../patch.ts';

/** Maximum lengths in characters; keys must fit into an index entry. */
export const MAX_LENGTH = {
  external_id: 255,
  email: 254,
  phone: 64,
  first_name: 255,
  last_name: 255,
  source: 255,
} as const;
export const MAX_TAG_LENGTH = 100;

const LIMITED = Object.keys(MAX_LENGTH) as (keyof typeof MAX_LENGTH)[];

/**
 * Returns the patch with keys in the form in which they are stored and compared: e-mail in lower case; phone in E.164 if it can be parsed
 * (without a country code, as a number of `country`, ISO 3166), otherwise as given; all trimmed. Throws validation_failed with
 * every invalid field.
 */
export function normalisePatch(patch: ContactPatch, country: string | null): ContactPatch {
  const next: ContactPatch = { ...patch };
  const errors: FieldError[] = [];
  for (const field of LIMITED) {
    const text = patch[field]?.trim();
    if (text === undefined) continue;
    next[field] = text;
    if (text.length > MAX_LENGTH[field]) {
      errors.push({ field, code: 'too_long', message: `${field} has at most ${MAX_LENGTH[field]} characters` });
    }
  }
  if (next.email !== undefined && next.email !== null) {
    const email = normaliseEmail(next.email);
    if (email !== null) next.email = email;
    else errors.push({ field: 'email', code: 'wrong_format', message: 'email must be a valid e-mail address' });
  }
  for (const field of ['external_id', 'phone'] as const) {
    if (next[field] === '') errors.push({ field, code: 'too_short', message: `${field} must not be empty` });
  }
  for (const field of ['tags', 'remove_tags'] as const) {
    const tags = patch[field]?.map((tag) => tag.trim());
    if (tags === undefined) continue;
    next[field] = tags;
    if (tags.every((tag) => tag !== '' && tag.length <= MAX_TAG_LENGTH)) continue;
    errors.push({ field, code: 'too_long', message: `A tag has 1 to ${MAX_TAG_LENGTH} characters` });
  }
  if (next.phone) next.phone = normalisePhone(next.phone, country) ?? next.phone;
  if (errors.length > 0) throw validationFailed(errors);
  return next;
}
