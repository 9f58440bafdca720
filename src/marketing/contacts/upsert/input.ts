import type { Caller } from '../../../caller.ts';
import type { Settled } from '../../../db/batching/batcher.ts';
import { AppError, type FieldError, invalidField, validationFailed } from '../../../errors.ts';
import { normaliseEmail, normalisePhone } from '../../../lib/addresses.ts';
import { CHANNELS, INITIAL_BY_API, sourceOf } from '../../../recipients/consent.ts';
import { givenPreferences } from '../../../recipients/preferences.ts';
import { keysOf } from '../contact.ts';
import type { ContactInput } from '../contact-schema.ts';
import { MAX_LENGTH, MAX_TAG_LENGTH } from '../limits.ts';
import type { ContactPatch } from '../patch.ts';
import type { ContactUpsert } from './plan.ts';

/** Who requests a change, and when. */
type Asking = Pick<Caller, 'actor' | 'now'>;

/** Throws validation_failed, also if the body has no key. */
export function upsertOf(input: ContactInput, country: string, caller: Asking): ContactUpsert {
  const upsert = updateOf(input, country, caller);
  requireKey(upsert.patch);
  return upsert;
}

/** Throws validation_failed. */
export function updateOf(input: ContactInput, country: string, caller: Asking): ContactUpsert {
  const { email, first_name, last_name, phone, external_id, source, tags, tags_mode, remove_tags } = input;
  const patch: ContactPatch = { email, first_name, last_name, phone, external_id, source, remove_tags };
  if (tags !== undefined) {
    patch.tags = tags ?? [];
    patch.replace_tags = tags === null || tags_mode === 'replace';
  }
  patch.properties = input.properties;
  patch.status = input.status;
  patch.consent = givenConsents(input.consent);
  patch.preferences = givenPreferences(input.preferences);
  const consent = sourceOf(caller);
  if (consent !== 'api') patch.consent_source = consent;
  return {
    patch: normalisePatch(patch, country),
    listIds: input.list_ids ?? [],
    initial: consent === 'api' ? INITIAL_BY_API : { ...INITIAL_BY_API, source: consent },
    now: caller.now,
  };
}

/** The consents of a request body; a bare state is converted to an object. */
export function givenConsents(consent: ContactInput['consent']): ContactPatch['consent'] {
  if (consent === undefined) return undefined;
  const given: NonNullable<ContactPatch['consent']> = {};
  for (const channel of CHANNELS) {
    const one = consent[channel];
    if (one === undefined) continue;
    const { user_agent, ...rest } = typeof one === 'string' ? { state: one } : one;
    given[channel] = { ...rest, ...(user_agent === undefined ? {} : { userAgent: user_agent }) };
  }
  return given;
}

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

/** Throws validation_failed if the patch has no key. */
export function requireKey(patch: ContactPatch): void {
  if (keysOf(patch).length > 0) return;
  throw invalidField('email', 'At least one of email, external_id and phone is required', 'required');
}

/** Settles each item on its own: `make` may reject an item with an AppError; `run` settles the upserts of all others together. */
export async function settleEach<Item, Out>(
  items: Item[],
  make: (item: Item) => ContactUpsert,
  run: (upserts: ContactUpsert[]) => Promise<Settled<Out>[]>,
): Promise<Settled<Out>[]> {
  const settled = new Array<Settled<Out>>(items.length);
  const upserts: ContactUpsert[] = [];
  const places: number[] = [];
  items.forEach((item, place) => {
    try {
      upserts.push(make(item));
      places.push(place);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      settled[place] = { ok: false, error };
    }
  });
  const outcomes = upserts.length === 0 ? [] : await run(upserts);
  places.forEach((place, i) => {
    settled[place] = outcomes[i]!;
  });
  return settled;
}

/** Returns the value, or throws the error if it was rejected. */
export function unwrap<T>(settled: Settled<T>): T {
  if (settled.ok) return settled.value;
  throw settled.error;
}

export function mapSettled<From, To>(settled: Settled<From>, map: (value: From) => To): Settled<To> {
  return settled.ok ? { ok: true, value: map(settled.value) } : settled;
}
