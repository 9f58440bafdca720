import { foldText } from '../../db/fold.ts';
import {
  CHANNELS,
  type ConsentFields,
  consentOf,
  type InitialConsent,
  initialConsents,
} from '../../recipients/consent.ts';
import { NO_PREFERENCES, type Preferences } from '../../recipients/preferences.ts';
import { type ContactStatus, statusOf } from './status.ts';

/** A contact as stored, without its id: a new one has none yet. */
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

/** The keys by which a contact is found, in the order in which they are tried. */
export const KEY_FIELDS = ['external_id', 'email', 'phone'] as const;
export type KeyField = (typeof KEY_FIELDS)[number];

export const TEXT_FIELDS = [...KEY_FIELDS, 'first_name', 'last_name', 'source'] as const;

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

/** The contact with the status derived from its consents and addresses. */
export function withStatus(contact: Contact): Contact {
  const status = statusOf(contact);
  return status === contact.status ? contact : { ...contact, status };
}

/** Whether both have the same consents and the same `email_bounced`. */
export function hasConsentsOf(before: ConsentFields, after: ConsentFields): boolean {
  return (
    before.email_bounced === after.email_bounced &&
    CHANNELS.every((channel) => consentOf(before, channel).state === consentOf(after, channel).state)
  );
}

/** The text that searches match. The line break prevents matches across name and e-mail. */
export function searchText(contact: Pick<Contact, 'first_name' | 'last_name' | 'email'>): string {
  const name = foldText(`${contact.first_name ?? ''} ${contact.last_name ?? ''}`);
  return `${name}\n${foldText(contact.email ?? '')}`;
}

const PREFIX = { external_id: 'x:', email: 'e:', phone: 'p:' } as const;

/** The keys of a contact or a patch, prefixed by their kind: `x:` external_id, `e:` e-mail, `p:` phone. */
export function keysOf(holder: Partial<Record<KeyField, string | null>>): string[] {
  const keys: string[] = [];
  for (const field of KEY_FIELDS) {
    const value = holder[field];
    if (value !== null && value !== undefined) keys.push(PREFIX[field] + value);
  }
  return keys;
}
