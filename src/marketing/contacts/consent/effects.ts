import { isNo, type SuppressedChannels } from '../../../messaging/suppressions/suppressions.ts';
import {
  CHANNELS,
  type Channel,
  type ConsentFields,
  consentOf,
  type Evidence,
  withConsent,
} from '../../../recipients/consent.ts';
import { type Contact, hasConsentsOf, withStatus } from '../contact.ts';
import type { ContactStatus } from '../status.ts';
import type { ConsentRow } from './history-queries.ts';

/** Whether the contact has a new address or a new subscription. `before` is null for a new contact. */
export function mayBeSuppressed(before: Contact | null, after: Contact): boolean {
  if (after.email !== null && after.email !== before?.email) return true;
  if (after.phone !== null && after.phone !== before?.phone) return true;
  if (before === null) return false;
  return CHANNELS.some((channel) => {
    return consentOf(after, channel).state === 'subscribed' && consentOf(before, channel).state !== 'subscribed';
  });
}

/**
 * The contact with the suppressions of its addresses applied; the same object if nothing changes. A bounce changes no consent,
 * since it belongs to the address. A phone number that bounced or was suppressed manually is left to the gate.
 */
export function withSuppressed(contact: Contact, { email, sms }: SuppressedChannels): Contact {
  let next = contact;
  const leave = (channel: Channel, source: Consent['source']): void => {
    const { state } = consentOf(next, channel);
    // After a refusal by the shop itself, the consent is `never`.
    if (state === 'unsubscribed' || (state === 'never' && source === 'shop')) return;
    next = withConsent(next, channel, { state: 'unsubscribed', at: next.updated_at, source });
  };
  if (email?.cause === 'bounce') next = { ...next, email_bounced: true };
  if (email !== null && (email.cause === 'manual' || isNo(email))) leave('email', email.source ?? 'api');
  if (sms !== null && isNo(sms)) leave('sms', sms.source ?? 'api');
  return hasConsentsOf(contact, next) ? contact : withStatus(next);
}

type Consent = ReturnType<typeof consentOf>;

/** The fields of a contact that depend on consents. */
export function consentsOf(contact: Contact): ConsentFields & { status: ContactStatus } {
  const { email_consent, email_consent_at, email_consent_source, email_bounced, status } = contact;
  const { sms_consent, sms_consent_at, sms_consent_source } = contact;
  return {
    email_consent,
    email_consent_at,
    email_consent_source,
    email_bounced,
    status,
    sms_consent,
    sms_consent_at,
    sms_consent_source,
  };
}

/** The new entries of the consent history. A contact's first consent is in its row and gets an entry only if it has evidence. */
export function consentChanges(
  before: Contact | null,
  after: Contact,
  evidence: Partial<Record<Channel, Evidence>> = {},
): Omit<ConsentRow, 'contactId'>[] {
  return CHANNELS.flatMap((channel): Omit<ConsentRow, 'contactId'>[] => {
    const { state, at, source } = consentOf(after, channel);
    const given = evidence[channel];
    if (before === null) {
      if ((given?.text ?? given?.ip ?? given?.userAgent) === undefined) return [];
    } else if (consentOf(before, channel).state === state) return [];
    const was = before === null ? null : consentOf(before, channel);
    return [
      {
        channel,
        state,
        source,
        address: channel === 'email' ? after.email : after.phone,
        evidence: given,
        was: was === null ? null : { state: was.state, since: was.at ?? before!.created_at, source: was.source },
        at: at ?? after.updated_at,
      },
    ];
  });
}

/** The addresses to suppress: those of a contact that unsubscribes, or of an unsubscribed one that gets a new address. */
export function unsubscribedAddresses(before: Contact | null, after: Contact) {
  return CHANNELS.flatMap((channel) => {
    const { state, source } = consentOf(after, channel);
    const address = channel === 'email' ? after.email : after.phone;
    if (state !== 'unsubscribed' || address === null) return [];
    const same = (channel === 'email' ? before?.email : before?.phone) === address;
    if (before !== null && same && consentOf(before, channel).state === state) return [];
    const cause = source === 'complaint' ? ('complaint' as const) : ('unsubscribe' as const);
    return [{ channel, address, cause, source }];
  });
}
