import type { ContactRecord } from '../../../../src/marketing/contacts/record.ts';
import { type ContactStatus, statusChannel } from '../../../../src/marketing/contacts/status.ts';

/** A contact's status as shown: the API has no word for people who were never asked and calls them unsubscribed. */
export function shownStatus(
  contact: Pick<ContactRecord, 'status' | 'email' | 'phone' | 'consent'>,
): ContactStatus | 'never' {
  const { status, consent } = contact;
  return status === 'unsubscribed' && consent[statusChannel(contact)].state === 'never' ? 'never' : status;
}
