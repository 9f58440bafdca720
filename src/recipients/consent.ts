export const CHANNELS = ['email', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

/** `never`: not asked, or asked without agreeing. Gets no marketing, like `unsubscribed`, but any source may subscribe it. */
export const CONSENT_STATES = ['subscribed', 'unsubscribed', 'never'] as const;
export type ConsentState = (typeof CONSENT_STATES)[number];

/** States of a contact on a list. */
export const MEMBERSHIP_STATUSES = ['pending', 'active', 'unsubscribed'] as const;
export type MembershipStatus = (typeof MEMBERSHIP_STATUSES)[number];

/** Where a consent came from. `event`: the company's setting for contacts created by events. */
export const CONSENT_SOURCES = [
  'api',
  'event',
  'shop',
  'import',
  'form',
  'double_opt_in',
  'one_click',
  'preference_page',
  'complaint',
  'sms_keyword',
] as const;
/** One of these, or the user of the admin app who changed it. */
export type ConsentSource = (typeof CONSENT_SOURCES)[number] | `person:${string}`;

/** The source of a change requested through an API: the person in the admin app, or a program. */
export function sourceOf({ actor }: { actor: string }): ConsentSource {
  return actor.startsWith('admin:') ? `person:${actor.slice('admin:'.length)}` : 'api';
}

/** The evidence of a consent, as far as known. */
export interface Evidence {
  /** The text that was agreed to, or the reason. */
  text?: string | undefined;
  ip?: string | undefined;
  userAgent?: string | undefined;
}

/** A new state of consents, and where it comes from. */
export interface ConsentChange {
  channels: readonly Channel[];
  state: ConsentState;
  source: ConsentSource;
  /** The cause that the timeline shows if the contact's status changes. */
  cause: string;
  evidence?: Evidence | undefined;
  now: Date;
}

/** The consents as a contact's row holds them. `…_at` null: since the contact was created. */
export interface ConsentFields {
  email_consent: ConsentState;
  email_consent_at: Date | null;
  email_consent_source: ConsentSource;
  sms_consent: ConsentState;
  sms_consent_at: Date | null;
  sms_consent_source: ConsentSource;
  /** The e-mail address bounced permanently, or too often. */
  email_bounced: boolean;
}

/** The consents of a new contact. */
export interface InitialConsent {
  email: ConsentState;
  sms: ConsentState;
  source: ConsentSource;
}

/** Contacts created through the API are subscribed to e-mail unless the request says otherwise, and never to SMS. */
export const INITIAL_BY_API: InitialConsent = { email: 'subscribed', sms: 'never', source: 'api' };

export function initialConsents({ email, sms, source }: InitialConsent): ConsentFields {
  return {
    email_consent: email,
    email_consent_at: null,
    email_consent_source: source,
    sms_consent: sms,
    sms_consent_at: null,
    sms_consent_source: source,
    email_bounced: false,
  };
}

/** The consent of one channel. */
export interface Consent {
  state: ConsentState;
  at: Date | null;
  source: ConsentSource;
}

export function consentOf(fields: ConsentFields, channel: Channel): Consent {
  return channel === 'email'
    ? { state: fields.email_consent, at: fields.email_consent_at, source: fields.email_consent_source }
    : { state: fields.sms_consent, at: fields.sms_consent_at, source: fields.sms_consent_source };
}

/** Returns the fields with the channel's consent replaced. */
export function withConsent<T extends ConsentFields>(fields: T, channel: Channel, { state, at, source }: Consent): T {
  return channel === 'email'
    ? { ...fields, email_consent: state, email_consent_at: at, email_consent_source: source }
    : { ...fields, sms_consent: state, sms_consent_at: at, sms_consent_source: source };
}

/** The state after an upsert, which never takes back an unsubscription. */
export function upsertedState(current: ConsentState, asked: ConsentState): ConsentState {
  return current === 'unsubscribed' ? current : asked;
}

/**
 * The state after a customer of the shop accepted or refused marketing; null if it does not change. `registration`: the customer
 * was just created and may already be a contact. A refusal then only changes a consent that came from an event or the shop.
 * `ownNo`: the current unsubscription came from the shop.
 */
export function shopState(
  current: Consent,
  accepts: boolean,
  { registration, ownNo }: { registration: boolean; ownNo: boolean },
): ConsentState | null {
  if (accepts) {
    // Accepting takes back a refusal by the shop only, not a click on "unsubscribe", a complaint or a STOP.
    const open = current.state === 'never' || (current.state === 'unsubscribed' && ownNo);
    return open ? 'subscribed' : null;
  }
  if (current.state !== 'subscribed') return null;
  return !registration || current.source === 'event' || current.source === 'shop' ? 'never' : null;
}

/** The consent of merged contacts: an unsubscription of either; otherwise that of the contact whose address is kept. */
export function mergedConsent(winner: Consent, loser: Consent, addressIsLosers: boolean): Consent {
  if (winner.state === 'unsubscribed') return winner;
  if (loser.state === 'unsubscribed') return loser;
  return addressIsLosers ? loser : winner;
}
