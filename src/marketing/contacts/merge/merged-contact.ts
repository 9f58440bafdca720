import { mergedPreferences } from '../consent/preferences.ts';
import { consentOf, mergedConsent, withConsent } from '../consent/states.ts';
import { type Contact, MAX_TAGS, TEXT_FIELDS, withStatus } from '../contact.ts';
import type { ContactPatch } from '../patch.ts';

/**
 * `winner` with what only `loser` has: missing keys and names, tags, properties. `asked` are the addresses that the upsert sets,
 * if any: an address taken over from the loser brings its consent and bounce. An unsubscription of either stays.
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
