import type { Contact } from '../queries.ts';

type Channel = 'email' | 'sms';
type State = Contact['consent']['email']['state'];

/** Both have an external id: the shop knows them as two people, and the server refuses to merge them. */
export function areTwoOfShop(one: Contact, other: Contact): boolean {
  return one.external_id !== null && other.external_id !== null;
}

/** The consent after the merge, as the server decides it: the stricter of the two. */
export function consentAfter(one: Contact, other: Contact, channel: Channel): State {
  const addressOf = (contact: Contact): string | null => (channel === 'email' ? contact.email : contact.phone);
  const stateOf = (contact: Contact): State => contact.consent[channel].state;
  const both = [one, other];
  if (both.some((contact) => stateOf(contact) === 'unsubscribed')) return 'unsubscribed';
  if (both.some((contact) => stateOf(contact) === 'never' && addressOf(contact) !== null)) return 'never';
  return stateOf(addressOf(one) === null && addressOf(other) !== null ? other : one);
}
