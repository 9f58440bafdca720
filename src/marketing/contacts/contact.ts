import { isDeepStrictEqual } from 'node:util';
import { foldText } from '../../db/fold.ts';
import { invalidField } from '../../errors.ts';
import { hasPreferencesOf, mergedPreferences, NO_PREFERENCES, type Preferences } from './consent/preferences.ts';
import {
  CHANNELS,
  type Channel,
  type ConsentFields,
  type ConsentSource,
  type ConsentState,
  consentOf,
  type Evidence,
  type InitialConsent,
  initialConsents,
  mergedConsent,
  shopState,
  upsertedState,
  withConsent,
} from './consent/states.ts';
import { type ContactStatus, statusOf } from './status.ts';

/** A contact as its row holds it, without its id: one that is being made has none yet. */
export interface Contact extends ConsentFields, Preferences {
  external_id: string | null;
  email: string | null;
  phone: string | null;
  first_name: string | null;
  last_name: string | null;
  source: string | null;
  tags: string[];
  properties: Record<string, unknown>;
  /** Derived: see `statusOf`. */
  status: ContactStatus;
  created_at: Date;
  updated_at: Date;
}

/** What somebody says of a consent. */
export interface GivenConsent extends Evidence {
  state: ConsentState;
}

/** What a deed asks of a contact, its texts normalised. Absent: unchanged; null: cleared. */
export interface ContactPatch {
  external_id?: string | null;
  email?: string | null;
  phone?: string | null;
  first_name?: string | null;
  last_name?: string | null;
  source?: string | null;
  /** Added, or with `replace_tags` all that there are. */
  tags?: string[];
  replace_tags?: boolean;
  remove_tags?: string[];
  /** Merged one level deep, null removes a key; null in place of the object removes all. */
  properties?: Record<string, unknown> | null;
  status?: ContactStatus;
  consent?: Partial<Record<Channel, GivenConsent>>;
  preferences?: Partial<Preferences>;
  /** Where the consents above come from; the API where absent. */
  consent_source?: ConsentSource;
  /** A customer was created in the shop, who accepts marketing by e-mail or does not. */
  shop_accepts?: boolean;
}

/** The fields that find a contact, in the order in which they are tried. */
export const KEY_FIELDS = ['external_id', 'email', 'phone'] as const;
export type KeyField = (typeof KEY_FIELDS)[number];

const TEXT_FIELDS = [...KEY_FIELDS, 'first_name', 'last_name', 'source'] as const;

/** What one contact may hold at most. */
export const MAX_TAGS = 500;
export const MAX_PROPERTIES = 500;
const MAX_PROPERTIES_BYTES = 65_536;

export function emptyContact(now: Date, initial: InitialConsent): Contact {
  return withStatus({
    external_id: null,
    email: null,
    phone: null,
    first_name: null,
    last_name: null,
    source: null,
    tags: [],
    properties: {},
    ...initialConsents(initial),
    ...NO_PREFERENCES,
    status: 'subscribed',
    created_at: now,
    updated_at: now,
  });
}

/** The contact with the status that its consents and addresses come to. */
export function withStatus(contact: Contact): Contact {
  const status = statusOf(contact);
  return status === contact.status ? contact : { ...contact, status };
}

/**
 * The contact after the deed; the very same object when nothing changes. Throws AppError where it would hold too much,
 * or have no key left.
 */
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

/** Added first, then taken away: a tag that is in both goes. */
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
  // From entries, so that a key such as __proto__ is a key like any other.
  const merged: Record<string, unknown> = Object.fromEntries(next);
  if (next.size > MAX_PROPERTIES || Buffer.byteLength(JSON.stringify(merged)) > MAX_PROPERTIES_BYTES) {
    throw invalidField('properties', `properties hold at most ${MAX_PROPERTIES} keys and 64 KiB`, 'too_long');
  }
  return merged;
}

/** Whether both have the same consents; of the address that bounced, too. */
export function hasConsentsOf(before: ConsentFields, after: ConsentFields): boolean {
  return (
    before.email_bounced === after.email_bounced &&
    CHANNELS.every((channel) => consentOf(before, channel).state === consentOf(after, channel).state)
  );
}

/** The bounce of an address goes with it. What a patch says never takes a no back. */
function patchedConsents(before: Contact, after: Contact, patch: ContactPatch, now: Date): Contact {
  const readdressed = before.email !== null && before.email !== after.email;
  let next = readdressed ? { ...after, email_bounced: false } : after;
  const say = (channel: Channel, state: ConsentState, source: ConsentSource): void => {
    if (consentOf(next, channel).state !== state) next = withConsent(next, channel, { state, at: now, source });
  };
  for (const channel of CHANNELS) {
    const asked = patch.status === 'unsubscribed' ? 'unsubscribed' : patch.consent?.[channel]?.state;
    if (asked === undefined) continue;
    say(channel, upsertedState(consentOf(next, channel).state, asked), patch.consent_source ?? 'api');
  }
  if (patch.shop_accepts !== undefined) {
    // Whether a no came from the shop is known where it is lifted: a customer who is created takes none back.
    const known = { registration: true, ownNo: false };
    const state = shopState(consentOf(next, 'email'), patch.shop_accepts, known);
    if (state !== null) say('email', state, 'shop');
  }
  return patch.status === 'bounced' ? { ...next, email_bounced: true } : next;
}

/**
 * `winner` with what only `loser` has: keys and names where it has none, tags, properties. `asked` are the addresses that the
 * deed gives, if any: the loser's count as taken over, with what was said of them and a bounce. Who left stays away,
 * whichever of the two left.
 */
export function mergeContacts(winner: Contact, loser: Contact, asked: Pick<ContactPatch, 'email' | 'phone'>): Contact {
  const merged: Contact = { ...winner };
  for (const field of TEXT_FIELDS) merged[field] = winner[field] ?? loser[field];
  merged.tags = [...new Set([...winner.tags, ...loser.tags])].slice(0, MAX_TAGS);
  merged.properties = Object.fromEntries([...Object.entries(loser.properties), ...Object.entries(winner.properties)]);
  if (loser.created_at < winner.created_at) merged.created_at = loser.created_at;
  const takesEmail = loser.email !== null && (asked.email ?? merged.email) === loser.email;
  if (takesEmail) {
    merged.email = loser.email;
    merged.email_bounced = loser.email_bounced;
  }
  Object.assign(merged, mergedPreferences(winner, loser));
  const email = mergedConsent(consentOf(winner, 'email'), consentOf(loser, 'email'), takesEmail);
  const takesPhone = loser.phone !== null && (asked.phone ?? merged.phone) === loser.phone;
  const sms = mergedConsent(consentOf(winner, 'sms'), consentOf(loser, 'sms'), takesPhone);
  return withStatus(withConsent(withConsent(merged, 'email', email), 'sms', sms));
}

/** What a search looks through. The line break keeps a match from running from the name into the e-mail. */
export function searchText(contact: Pick<Contact, 'first_name' | 'last_name' | 'email'>): string {
  const name = foldText(`${contact.first_name ?? ''} ${contact.last_name ?? ''}`);
  return `${name}\n${foldText(contact.email ?? '')}`;
}
