import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { countryOfPhone, readSender } from '../../lib/addresses.ts';
import { inLatin } from '../../lib/letters/latin.ts';
import type { QuietHours } from '../../recipients/quiet-hours.ts';
import type { Language } from '../consent/languages.ts';
import type { PauseReason } from '../deliverability/rates.ts';
import { type BounceSettings, NO_BOUNCE_SETTINGS } from '../feedback/bounce-settings.ts';
import type { DomainLimits } from '../send/domain-limits.ts';
import type { SealedAccount } from '../sending-accounts/accounts.ts';
import type { SealedSigner } from '../sending-domains/signing.ts';
import type { ActiveHost } from '../sending-domains/tracking-host/rules.ts';
import type { WarmingDomain } from '../sending-domains/warm-up/plan.ts';

/** companies.settings.messaging: absent fields have their defaults. */
export interface SendingSettings extends BounceSettings {
  from_email: string;
  /** The company's name by default. */
  from_name: string;
  reply_to: string | null;
  /** A number in E.164, or a name that the provider knows. */
  sms_from: string;
  /** Another sender by the recipient's country, ISO 3166. */
  sms_senders: Record<string, string>;
  /** Words in addition to STOP that unsubscribe from SMS. */
  sms_stop_words: string[];
  /** The reply to HELP; null for a default that says how to stop. */
  sms_help_text: string | null;
  /** No marketing message is handed over during these hours; in the contact's time zone, or the named one. */
  quiet_hours: QuietHours | null;
  /** Maximum marketing messages to one contact within a number of hours. */
  frequency_cap: { messages: number; hours: number } | null;
  /** A contact that wants marketing less often gets one message in this many days. */
  less_often_days: number;
  /** Language of the public pages, for contacts and browsers without a preference. */
  language: Language;
  /** A flow's marketing message delayed for longer than this is not sent at all. */
  max_lateness_hours: number;
  track_opens: boolean;
  track_clicks: boolean;
  /** Days from a click or an open to an order that counts for the message. */
  attribution_days: number;
  /** Stricter limits than the installation's, as fractions of 1; null: the installation's. */
  max_complaint_rate: number | null;
  max_bounce_rate: number | null;
  /** Marketing e-mails per hour by recipient domain; they take precedence over the installation's. */
  domain_limits: Record<string, number>;
  /** Consent of a contact created by an event, in which nobody mentioned marketing. */
  new_contacts_by_events: 'subscribed' | 'never';
  /** The private key is sealed with the master key. */
  dkim: SealedSigner | null;
}

/** The data of a company needed for sending. Cached by version. */
export interface SendingCompany extends SendingSettings {
  companyId: number;
  /** The demo shop's messages stay in the mailbox, whatever transports there are. */
  isDemo: boolean;
  createdAt: Date;
  name: string;
  timeZone: string;
  currency: string;
  exponent: number;
  /** The keys of its verified sending domains. */
  signers: (SealedSigner & { failing: boolean })[];
  /** Hosts used for the links of its e-mails. */
  trackingHosts: ActiveHost[];
  /** Why marketing e-mail is paused; null: it is not. */
  paused: PauseReason | null;
  /** Its sending domains in a warm-up. */
  warmUps: WarmingDomain[];
  /** Includes the installation's; null: none. */
  domainLimits: DomainLimits | null;
  /** Its accounts at mail and SMS services; inactive ones send nothing. */
  accounts: SealedAccount[];
}

/** A reserved name (RFC 2606): a shop without a configured sender must not send in anyone else's name. */
const DEFAULT_FROM = 'shop@tradeloom.example';

/** Whether a sender's address is the one of companies that have not set theirs. */
export function isUnsetSender(address: string): boolean {
  return address === DEFAULT_FROM;
}

/** Settings of the installation for everything a company leaves unset. */
export interface SendingDefaults {
  domainLimits: DomainLimits;
}

export async function loadSendingCompany(
  db: Queryable,
  companyId: number,
  defaults: SendingDefaults = { domainLimits: {} },
): Promise<SendingCompany> {
  const [row] = await db.query<{
    is_demo: boolean;
    created_at: Date;
    name: string;
    time_zone: string;
    currency: string;
    currency_exponent: number;
    messaging: Partial<SendingSettings> | null;
    signers: SendingCompany['signers'];
    tracking_hosts: ActiveHost[];
    paused: PauseReason | null;
    warm_ups: WarmingDomain[];
    accounts: SendingCompany['accounts'];
  }>(sql`
    select is_demo, created_at, name, time_zone, currency, currency_exponent, settings -> 'messaging' as messaging,
      (select coalesce(jsonb_agg(jsonb_build_object('domain', domain, 'selector', selector, 'sealed_key', sealed_key,
        'failing', state = 'failing')), '[]') from sending_domains
        where company_id = ${companyId} and state <> 'pending') as signers,
      (select coalesce(jsonb_agg(jsonb_build_object('domain', d.domain, 'host', h.host)), '[]')
        from sending_domains d join tracking_hosts h on h.company_id = d.company_id and h.host = d.tracking_host
        where d.company_id = ${companyId} and h.active) as tracking_hosts,
      (select reason from marketing_pauses where company_id = ${companyId} and paused_at is not null) as paused,
      (select coalesce(jsonb_agg(jsonb_build_object('domain_id', id, 'domain', domain, 'plan', warm_up)), '[]')
        from sending_domains where company_id = ${companyId} and warm_up is not null) as warm_ups,
      (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'provider', provider, 'settings', settings, 'sealed_secret',
        sealed_secret, 'rate', rate, 'connections', connections, 'active', active, 'revision', revision)), '[]')
        from sending_accounts where company_id = ${companyId}) as accounts
    from companies where company_id = ${companyId}`);
  if (row === undefined) throw notFound(`company ${companyId}`);
  const domainLimits = { ...defaults.domainLimits, ...row.messaging?.domain_limits };
  return {
    companyId,
    isDemo: row.is_demo,
    createdAt: row.created_at,
    name: row.name,
    timeZone: row.time_zone,
    currency: row.currency,
    exponent: row.currency_exponent,
    ...defaultSettings(row.name),
    ...row.messaging,
    signers: row.signers,
    trackingHosts: row.tracking_hosts,
    paused: row.paused,
    warmUps: row.warm_ups,
    domainLimits: Object.keys(domainLimits).length === 0 ? null : domainLimits,
    accounts: row.is_demo ? [] : row.accounts,
  };
}

function defaultSettings(companyName: string): SendingSettings {
  return {
    from_email: DEFAULT_FROM,
    from_name: companyName,
    reply_to: null,
    sms_from: defaultSmsSender(companyName),
    sms_senders: {},
    sms_stop_words: [],
    sms_help_text: null,
    quiet_hours: null,
    frequency_cap: null,
    less_often_days: 7,
    language: 'en',
    max_lateness_hours: 24,
    track_opens: true,
    track_clicks: true,
    attribution_days: 5,
    max_complaint_rate: null,
    max_bounce_rate: null,
    domain_limits: {},
    new_contacts_by_events: 'subscribed',
    dkim: null,
    ...NO_BOUNCE_SETTINGS,
  };
}

/** Carriers take up to eleven Latin letters without diacritics, digits and spaces. */
function defaultSmsSender(companyName: string): string {
  const plain = inLatin(companyName)
    .replace(/[^A-Za-z0-9 ]/g, '')
    .replace(/ +/g, ' ');
  return plain.trim().slice(0, 11).trim() || 'Shop';
}

/** Returns the sender of an SMS to the number. */
export function smsSender({ sms_from, sms_senders }: SendingSettings, to: string): string {
  if (Object.keys(sms_senders).length === 0) return sms_from;
  return sms_senders[countryOfPhone(to) ?? ''] ?? sms_from;
}

/** Parses `Name <address>` or an address; null stands for the company's own sender. */
export function senderOf(given: string | null, settings: SendingSettings): { name: string; address: string } {
  if (given === null || given.trim() === '') return { name: settings.from_name, address: settings.from_email };
  // An invalid address is rejected with the name of its field (see email-content.ts).
  const { name, address } = readSender(given) ?? { name: '', address: given };
  return { name: given.includes('<') ? name : settings.from_name, address };
}
