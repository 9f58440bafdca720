import { formatTimestamp } from '../../lib/timestamps.ts';
import { type Channel, type ConsentState, consentOf } from '../../recipients/consent.ts';
import { type PreferencesRecord, preferencesRecord } from '../../recipients/preferences.ts';
import type { Membership } from '../lists/membership.ts';
import type { Contact } from './contact.ts';
import type { ContactStatus } from './status.ts';

interface ConsentRecord {
  state: ConsentState;
  since: string;
  source: string;
}

/** A contact as the API, rules and templates show it. Timestamps are `YYYY-MM-DD HH:MM:SS`, UTC. */
export interface ContactRecord {
  contact_id: number;
  email: string | null;
  first_name: string | null;
  last_name: string | null;
  phone: string | null;
  external_id: string | null;
  source: string | null;
  tags: string[];
  properties: Record<string, unknown>;
  status: ContactStatus;
  consent: Record<Channel, ConsentRecord>;
  preferences: PreferencesRecord;
  lists: Membership[];
  created_at: string;
  updated_at: string;
  /** As `zoneOfContact` finds it. Present where the contact was read with its address. */
  time_zone?: string | null;
  /** Present only if it was requested. */
  last_activity_at?: string | null;
}

export function recordOf(id: number, contact: Contact, lists: Membership[]): ContactRecord {
  return {
    contact_id: id,
    email: contact.email,
    first_name: contact.first_name,
    last_name: contact.last_name,
    phone: contact.phone,
    external_id: contact.external_id,
    source: contact.source,
    tags: contact.tags,
    properties: contact.properties,
    status: contact.status,
    consent: { email: consentRecord(contact, 'email'), sms: consentRecord(contact, 'sms') },
    preferences: preferencesRecord(contact),
    lists,
    created_at: formatTimestamp(contact.created_at),
    updated_at: formatTimestamp(contact.updated_at),
  };
}

function consentRecord(contact: Contact, channel: Channel): ConsentRecord {
  const { state, at, source } = consentOf(contact, channel);
  return { state, since: formatTimestamp(at ?? contact.created_at), source };
}
