import { AppError } from '../../../errors.ts';
import type { Membership } from '../../lists/membership.ts';
import type { Channel, ConsentFields, Evidence } from '../consent/states.ts';
import { type Contact, emptyContact, KEY_FIELDS, withStatus } from '../contact.ts';
import { keysOf } from '../keys.ts';
import { mergeContacts } from '../merge/merged-contact.ts';
import { applyPatch, type ContactPatch } from '../patch.ts';
import type { ContactStatus } from '../status.ts';
import type { ContactUpsert } from './contact-upsert.ts';

/** A contact in a bulk upsert: as stored, and as changed by the upserts so far. */
export interface Slot {
  /** Null until it is inserted. */
  id: number | null;
  stored: Contact | null;
  current: Contact;
  lists: Membership[];
  /** Text, IP and user agent that came with consents. */
  evidence?: Partial<Record<Channel, Evidence>>;
  /** The consents after a suppression of an address was applied. */
  suppressed?: ConsentFields & { status: ContactStatus };
}

/** What an upsert will do. */
export interface Plan {
  slot: Slot | null;
  /** Contacts that are merged into `slot`. */
  losers: Slot[];
  /** Contacts that must give up an address, and their state without it. */
  givers: { slot: Slot; next: Contact }[];
  next: Contact;
}

/** The contact after the upsert: losers merged, patch applied. */
export function nextOf(slot: Slot | null, losers: Slot[], given: ContactPatch, upsert: ContactUpsert): Contact {
  const { origin, initial, now } = upsert;
  const patch = slot === null ? { ...given, source: given.source ?? origin } : given;
  const start = losers.reduce(
    (winner, loser) => mergeContacts(winner, loser.current, patch),
    slot?.current ?? emptyContact(now, initial),
  );
  return applyPatch(start, patch, now);
}

/** A contact without an e-mail address has no bounce either. */
export function withoutAddress(contact: Contact, field: 'email' | 'phone', now: Date): Contact {
  const bounced = field !== 'email' && contact.email_bounced;
  return withStatus({ ...contact, [field]: null, email_bounced: bounced, updated_at: now });
}

/** If several contacts have the keys, the first wins; the others must have no external_id. Throws contact_conflict. */
export function matched(holders: Slot[], patch: ContactPatch): { slot: Slot | null; losers: Slot[] } {
  const [slot = null, ...losers] = holders;
  const other = losers.find((loser) => loser.current.external_id !== null);
  if (other !== undefined) throw conflict(patch, other);
  return { slot, losers };
}

export function conflict(patch: ContactPatch, other: Slot): AppError {
  const theirs = new Set(keysOf(other.current));
  const fields = KEY_FIELDS.filter((field) => keysOf({ [field]: patch[field] }).some((key) => theirs.has(key)));
  const message = `contact_conflict: ${fields.join(' and ')} already belongs to another contact`;
  return new AppError('contact_conflict', message, {
    fields: fields.map((field) => ({ field, code: 'contact_conflict', message })),
  });
}
