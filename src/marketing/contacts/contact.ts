import { isDeepStrictEqual } from 'node:util';
import { foldText } from '../../db/fold.ts';
import { invalidField } from '../../errors.ts';
import { type ContactStatus, causeOfUpsert, nextStatus } from './status.ts';

/** A contact as its row holds it, without its id: one that is being made has none yet. */
export interface Contact {
  external_id: string | null;
  email: string | null;
  phone: string | null;
  first_name: string | null;
  last_name: string | null;
  source: string | null;
  tags: string[];
  properties: Record<string, unknown>;
  status: ContactStatus;
  created_at: Date;
  updated_at: Date;
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
}

/** The fields that find a contact, in the order in which they are tried. */
export const KEY_FIELDS = ['external_id', 'email', 'phone'] as const;
export type KeyField = (typeof KEY_FIELDS)[number];

const TEXT_FIELDS = [...KEY_FIELDS, 'first_name', 'last_name', 'source'] as const;

/** What one contact may hold at most. */
export const MAX_TAGS = 500;
export const MAX_PROPERTIES = 500;
const MAX_PROPERTIES_BYTES = 65_536;

export function emptyContact(now: Date): Contact {
  return {
    external_id: null,
    email: null,
    phone: null,
    first_name: null,
    last_name: null,
    source: null,
    tags: [],
    properties: {},
    status: 'subscribed',
    created_at: now,
    updated_at: now,
  };
}

/**
 * The contact after the deed; the very same object when nothing changes. Throws AppError where it would hold too much,
 * or have no key left.
 */
export function applyPatch(contact: Contact, patch: ContactPatch, now: Date): Contact {
  const next: Contact = { ...contact };
  for (const field of TEXT_FIELDS) {
    const value = patch[field];
    if (value !== undefined) next[field] = value;
  }
  next.tags = patchedTags(contact.tags, patch);
  next.properties = patchedProperties(contact.properties, patch.properties);
  next.status = patchedStatus(contact, next, patch);
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
    before.status === after.status
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

function patchedStatus(before: Contact, after: Contact, patch: ContactPatch): ContactStatus {
  const readdressed = before.email !== null && after.email !== null && before.email !== after.email;
  const status = readdressed ? nextStatus(before.status, 'new_address') : before.status;
  const cause = patch.status === undefined ? null : causeOfUpsert(patch.status);
  return cause === null ? status : nextStatus(status, cause);
}

/**
 * `winner` with what only `loser` has: keys and names where it has none, tags, properties. `asked` is the e-mail that the
 * deed gives, if any: the loser's counts as taken over, with its bounce or without. Who left stays away, whichever of
 * the two left.
 */
export function mergeContacts(winner: Contact, loser: Contact, asked: string | null | undefined): Contact {
  const merged: Contact = { ...winner };
  for (const field of TEXT_FIELDS) merged[field] = winner[field] ?? loser[field];
  merged.tags = [...new Set([...winner.tags, ...loser.tags])].slice(0, MAX_TAGS);
  merged.properties = Object.fromEntries([...Object.entries(loser.properties), ...Object.entries(winner.properties)]);
  if (loser.created_at < winner.created_at) merged.created_at = loser.created_at;
  if (loser.email !== null && (asked ?? merged.email) === loser.email) {
    merged.email = loser.email;
    merged.status = loser.status;
  }
  if (winner.status === 'unsubscribed' || loser.status === 'unsubscribed') merged.status = 'unsubscribed';
  return merged;
}

/** What a search looks through. The line break keeps a match from running from the name into the e-mail. */
export function searchText(contact: Pick<Contact, 'first_name' | 'last_name' | 'email'>): string {
  const name = foldText(`${contact.first_name ?? ''} ${contact.last_name ?? ''}`);
  return `${name}\n${foldText(contact.email ?? '')}`;
}
