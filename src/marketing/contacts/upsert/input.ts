import type { Caller } from '../../../caller.ts';
import { givenPreferences } from '../consent/preferences.ts';
import { CHANNELS, INITIAL_BY_API, sourceOf } from '../consent/states.ts';
import type { ContactInput } from '../contact-schema.ts';
import type { ContactPatch } from '../patch.ts';
import type { ContactUpsert } from './contact-upsert.ts';
import { requireKey } from './key-locks.ts';
import { normalisePatch } from './normalise.ts';

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
