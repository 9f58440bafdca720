import type { Channel, ConsentFields } from '../../recipients/consent.ts';

export const CONTACT_STATUSES = ['subscribed', 'unsubscribed', 'bounced'] as const;
export type ContactStatus = (typeof CONTACT_STATUSES)[number];

/** The fields from which a contact's status is derived. */
type StatusFields = ConsentFields & { email: string | null; phone: string | null };

/** The channel whose consent determines the status: SMS only for a contact with a phone number and no e-mail. */
export function statusChannel({ email, phone }: Pick<StatusFields, 'email' | 'phone'>): Channel {
  return email === null && phone !== null ? 'sms' : 'email';
}

/** The documented status; the same as the generated column `contacts.status`. */
export function statusOf(contact: StatusFields): ContactStatus {
  if (statusChannel(contact) === 'sms') return contact.sms_consent === 'subscribed' ? 'subscribed' : 'unsubscribed';
  if (contact.email_consent !== 'subscribed') return 'unsubscribed';
  return contact.email_bounced ? 'bounced' : 'subscribed';
}
