import { isDeepStrictEqual } from 'node:util';
import { invalidField } from '../../errors.ts';
import {
  CHANNELS,
  type Channel,
  type ConsentSource,
  type ConsentState,
  consentOf,
  type Evidence,
  shopState,
  upsertedState,
  withConsent,
} from '../../recipients/consent.ts';
import { hasPreferencesOf, type Preferences } from '../../recipients/preferences.ts';
import { type Contact, hasConsentsOf, KEY_FIELDS, TEXT_FIELDS, withStatus } from './contact.ts';
import { MAX_PROPERTIES, MAX_TAGS } from './limits.ts';
import type { ContactStatus } from './status.ts';

/** A consent of a request, with its evidence. */
export interface GivenConsent extends Evidence {
  state: ConsentState;
}

/** Changes of a contact, with normalised texts. Absent fields are unchanged; null clears a field. */
export interface ContactPatch {
  external_id?: string | null;
  email?: string | null;
  phone?: string | null;
  first_name?: string | null;
  last_name?: string | null;
  source?: string | null;
  /** Tags to add; with `replace_tags`, all tags. */
  tags?: string[];
  replace_tags?: boolean;
  remove_tags?: string[];
  /** Merged one level deep; a null value removes its key, null in place of the object removes all. */
  properties?: Record<string, unknown> | null;
  status?: ContactStatus;
  consent?: Partial<Record<Channel, GivenConsent>>;
  preferences?: Partial<Preferences>;
  /** The source of `consent`; default `api`. */
  consent_source?: ConsentSource;
  /** Whether a customer who was just created in the shop accepts marketing by e-mail. */
  shop_accepts?: boolean;
}
const MAX_PROPERTIES_BYTES = 65_536;

/** Applies the patch; returns the same object if nothing changes. Throws validation_failed if the contact gets too large or has no key. */
export function applyPatch(contact: Contact, patch: ContactPatch, now: Date): Contact {
  let next: Contact = { ...contact };
  for (const field of TEXT_FIELDS) {
    const value = patch[field];
    if (value !== undefined) next[field] = value;
  }
  next.tags = patchedTags(contact.tags, patch);
  next.properties = patchedProperties(contact.properties, patch.properties);
  next = withStatus(patchedConsents(contact, { ...next, ...patch.preferences }, patch, now));
  if (isSame(contact, next)) return contact;
  if (KEY_FIELDS.every((field) => next[field] === null)) {
    throw invalidField('email', 'A contact needs at least one of email, external_id and phone', 'required');
  }
  next.updated_at = now;
  return next;
}

function isSame(before: Contact, after: Contact): boolean {
  return (
    TEXT_FIELDS.every((field) => before[field] === after[field]) &&
    before.tags === after.tags &&
    before.properties === after.properties &&
    before.status === after.status &&
    hasPreferencesOf(before, after) &&
    hasConsentsOf(before, after)
  );
}

/** `remove_tags` are removed after `tags` are added. */
function patchedTags(tags: string[], patch: ContactPatch): string[] {
  if (patch.tags === undefined && patch.remove_tags === undefined) return tags;
  const next = new Set(patch.replace_tags && patch.tags !== undefined ? patch.tags : tags);
  for (const tag of patch.tags ?? []) next.add(tag);
  for (const tag of patch.remove_tags ?? []) next.delete(tag);
  if (next.size > MAX_TAGS) throw invalidField('tags', `A contact has at most ${MAX_TAGS} tags`, 'too_long');
  const list = [...next];
  return list.length === tags.length && list.every((tag, i) => tag === tags[i]) ? tags : list;
}

function patchedProperties(
  properties: Record<string, unknown>,
  patch: Record<string, unknown> | null | undefined,
): Record<string, unknown> {
  if (patch === undefined) return properties;
  if (patch === null) return Object.keys(properties).length === 0 ? properties : {};
  const next = new Map(Object.entries(properties));
  let changed = false;
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) changed = next.delete(name) || changed;
    else if (!isDeepStrictEqual(next.get(name), value)) {
      next.set(name, value);
      changed = true;
    }
  }
  if (!changed) return properties;
  // Built from entries, so that a key such as __proto__ is treated like any other.
  const merged: Record<string, unknown> = Object.fromEntries(next);
  if (next.size > MAX_PROPERTIES || Buffer.byteLength(JSON.stringify(merged)) > MAX_PROPERTIES_BYTES) {
    throw invalidField('properties', `properties hold at most ${MAX_PROPERTIES} keys and 64 KiB`, 'too_long');
  }
  return merged;
}

/** A new e-mail address ends a bounce. A patch never takes back an unsubscription. */
function patchedConsents(before: Contact, after: Contact, patch: ContactPatch, now: Date): Contact {
  const readdressed = before.email !== null && before.email !== after.email;
  let next = readdressed ? { ...after, email_bounced: false } : after;
  const set = (channel: Channel, state: ConsentState, source: ConsentSource): void => {
    if (consentOf(next, channel).state !== state) next = withConsent(next, channel, { state, at: now, source });
  };
  for (const channel of CHANNELS) {
    const asked = patch.status === 'unsubscribed' ? 'unsubscribed' : patch.consent?.[channel]?.state;
    if (asked === undefined) continue;
    set(channel, upsertedState(consentOf(next, channel).state, asked), patch.consent_source ?? 'api');
  }
  if (patch.shop_accepts !== undefined) {
    // The creation of a customer never takes back an unsubscription, whatever its source.
    const known = { registration: true, ownNo: false };
    const state = shopState(consentOf(next, 'email'), patch.shop_accepts, known);
    if (state !== null) set('email', state, 'shop');
  }
  return patch.status === 'bounced' ? { ...next, email_bounced: true } : next;
}
