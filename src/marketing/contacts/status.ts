import type { Channel, ConsentFields } from './consent/states.ts';

export const CONTACT_STATUSES = ['subscribed', 'unsubscribed', 'bounced'] as const;
export type ContactStatus = (typeof CONTACT_STATUSES)[number];

/** What a contact's status is derived from. */
export type Standing = ConsentFields & { email: string | null; phone: string | null };

/** The channel whose consent the documented status tells: SMS only where a phone number is the one address. */
export function statusChannel({ email, phone }: Pick<Standing, 'email' | 'phone'>): Channel {
  return email === null && phone !== null ? 'sms' : 'email';
}

/** The documented status, as the generated column `contacts.status` has it. */
export function statusOf(contact: Standing): ContactStatus {
  if (statusChannel(contact) === 'sms') return contact.sms_consent === 'subscribed' ? 'subscribed' : 'unsubscribed';
  if (contact.email_consent !== 'subscribed') return 'unsubscribed';
  return contact.email_bounced ? 'bounced' : 'subscribed';
}
