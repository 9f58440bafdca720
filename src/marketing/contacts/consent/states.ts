export const CHANNELS = ['email', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

/** `never`: was never asked, or did not say yes. Gets no marketing, as `unsubscribed`, but has not said no either. */
export const CONSENT_STATES = ['subscribed', 'unsubscribed', 'never'] as const;
export type ConsentState = (typeof CONSENT_STATES)[number];

/** Where a consent came from. `event`: a contact that an event made, by the company's setting; nobody said anything. */
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
/** Or the person of the shop who changed it. */
export type ConsentSource = (typeof CONSENT_SOURCES)[number] | `person:${string}`;

/** What a consent rests on, where known. */
export interface Evidence {
  /** What was agreed to, or why. */
  text?: string | undefined;
  ip?: string | undefined;
  userAgent?: string | undefined;
}

/** The consents as a contact's row holds them. `…_at` null: since the contact was created. */
export interface ConsentFields {
  email_consent: ConsentState;
  email_consent_at: Date | null;
  email_consent_source: ConsentSource;
  sms_consent: ConsentState;
  sms_consent_at: Date | null;
  sms_consent_source: ConsentSource;
  /** The address refused mail for good, or too often. */
  email_bounced: boolean;
}

/** The consents that a new contact begins with. */
export interface InitialConsent {
  email: ConsentState;
  sms: ConsentState;
  source: ConsentSource;
}

/** Of a contact made through the API: the caller says that it is subscribed by making it; nobody is asked about SMS so. */
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

/** One channel's part of the fields. */
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

/** The fields with another consent for the channel. */
export function withConsent<T extends ConsentFields>(fields: T, channel: Channel, { state, at, source }: Consent): T {
  return channel === 'email'
    ? { ...fields, email_consent: state, email_consent_at: at, email_consent_source: source }
    : { ...fields, sms_consent: state, sms_consent_at: at, sms_consent_source: source };
}

/** What an upsert may make of a consent: it never takes a no back. */
export function upsertedState(current: ConsentState, asked: ConsentState): ConsentState {
  return current === 'unsubscribed' ? current : asked;
}

/**
 * What the shop's word makes of a consent. `registration`: a customer was created, who may be a contact already; a yes counts
 * then, a no only where nobody had said anything. Null: nothing changes.
 */
export function shopState(
  current: Consent,
  accepts: boolean,
  { registration, ownNo }: { registration: boolean; ownNo: boolean },
): ConsentState | null {
  if (accepts) {
    // The shop's yes takes back the shop's no alone: not a click on "unsubscribe", a complaint or a STOP.
    const open = current.state === 'never' || (current.state === 'unsubscribed' && ownNo);
    return open ? 'subscribed' : null;
  }
  if (current.state !== 'subscribed') return null;
  return !registration || current.source === 'event' || current.source === 'shop' ? 'never' : null;
}

/** Of two contacts that become one: a no of either stays; else whose address it is counts. */
export function mergedConsent(winner: Consent, loser: Consent, addressIsLosers: boolean): Consent {
  if (winner.state === 'unsubscribed') return winner;
  if (loser.state === 'unsubscribed') return loser;
  return addressIsLosers ? loser : winner;
}
