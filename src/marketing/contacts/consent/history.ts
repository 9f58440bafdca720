import type { Queryable } from '../../../db/pool.ts';
import { notFound } from '../../../errors.ts';
import { formatTimestamp } from '../../../lib/timestamps.ts';
import {
  CHANNELS,
  type Channel,
  type ConsentSource,
  type ConsentState,
  consentOf,
} from '../../../recipients/consent.ts';
import type { Contact } from '../contact.ts';
import { findContactsById } from '../queries.ts';
import type { ConsentHistory } from './contract.ts';
import { findConsentHistory, type StoredConsent } from './history-queries.ts';

/** All consents of the contact, the oldest first. Throws not_found. */
export async function getConsentHistory(db: Queryable, companyId: number, id: number): Promise<ConsentHistory> {
  const [[contact], stored] = await Promise.all([
    findContactsById(db, companyId, [id]),
    findConsentHistory(db, companyId, id),
  ]);
  if (contact === undefined) throw notFound(`contact ${id}`);
  const entries = CHANNELS.flatMap((channel) => entriesOf(contact, channel, stored));
  entries.sort((a, b) => a.since.getTime() - b.since.getTime());
  return { contact_id: id, consents: entries.map((entry) => ({ ...entry, since: formatTimestamp(entry.since) })) };
}

interface Entry {
  channel: Channel;
  state: ConsentState;
  since: Date;
  source: ConsentSource;
  address: string | null;
  text: string | null;
  ip: string | null;
  user_agent: string | null;
}

/** The first consent is in the contact's row, or in the `was` fields of the first stored change. */
function entriesOf(contact: Contact, channel: Channel, stored: StoredConsent[]): Entry[] {
  const rows = stored.filter((row) => row.channel === channel);
  const later = rows.map(({ created_at: since, was: _was, was_since: _since, was_source: _source, ...row }) => {
    return { ...row, since };
  });
  const [first] = rows;
  const unknown = { channel, address: null, text: null, ip: null, user_agent: null };
  if (first === undefined) {
    const { state, at, source } = consentOf(contact, channel);
    const address = channel === 'email' ? contact.email : contact.phone;
    return [{ ...unknown, state, since: at ?? contact.created_at, source, address }];
  }
  if (first.was === null) return later;
  return [{ ...unknown, state: first.was, since: first.was_since!, source: first.was_source! }, ...later];
}
