import { AppError } from '../../../errors.ts';
import { CHANNELS, type Consent, consentOf, mergedConsent, withConsent } from '../../../recipients/consent.ts';
import { mergedPreferences } from '../../../recipients/preferences.ts';
import { type Contact, TEXT_FIELDS, withStatus } from '../contact.ts';
import { MAX_TAGS } from '../limits.ts';
import type { ContactPatch } from '../patch.ts';

/**
 * Returns `winner` with what only `loser` has: missing keys and names, tags, properties. `asked` are the addresses that the upsert
 * sets. An address taken over from the loser brings its consent and bounce. An unsubscription of either stays.
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

/**
 * Merges two contacts that a person says are one. Both addresses are that person's, so the stricter consent counts: an
 * unsubscription, else a `never` of a contact that has an address, else the consent of the address that is kept. Throws
 * contact_conflict if both have an external_id: they are two different customers of the shop.
 */
export function mergedByHand(winner: Contact, loser: Contact, now: Date): Contact {
  if (winner.external_id !== null && loser.external_id !== null) {
    const message =
      'contact_conflict: both contacts have an external_id. Where they are customers of the shop, merge the customers: their contacts follow';
    throw new AppError('contact_conflict', message, {
      fields: [{ field: 'other_contact_id', code: 'contact_conflict', message }],
    });
  }
  let merged = mergeContacts(winner, loser, {});
  for (const channel of CHANNELS) {
    const never = [winner, loser].map((one) => neverOf(one, channel)).find((consent) => consent !== null);
    if (never && consentOf(merged, channel).state === 'subscribed') merged = withConsent(merged, channel, never);
  }
  return withStatus({ ...merged, updated_at: now });
}

/** A `never` of a contact with an address for the channel; without an address, nobody was asked. */
function neverOf(contact: Contact, channel: 'email' | 'sms'): Consent | null {
  const consent = consentOf(contact, channel);
  const address = channel === 'email' ? contact.email : contact.phone;
  return address !== null && consent.state === 'never' ? consent : null;
}
