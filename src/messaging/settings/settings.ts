import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { countryOfPhone } from '../../lib/addresses.ts';
import type { QuietHours } from '../../marketing/flows/definition/definition.ts';
import type { Language } from '../consent/languages.ts';
import type { PauseReason } from '../deliverability/rates.ts';
import { type BounceSettings, NO_BOUNCE_SETTINGS } from '../feedback/bounce-settings.ts';
import type { DomainLimits } from '../gate/domain-limits.ts';
import type { SealedAccount } from '../sending-accounts/accounts.ts';
import type { SealedSigner } from '../sending-domains/signing.ts';
import type { ActiveHost } from '../sending-domains/tracking-host/rules.ts';
import type { WarmingDomain } from '../sending-domains/warm-up/plan.ts';

/** companies.settings.messaging: what is absent has its default. */
export interface SendingSettings extends BounceSettings {
  from_email: string;
  /** The company's name by default. */
  from_name: string;
  reply_to: string | null;
  /** A number in E.164, or a name that the provider knows. */
  sms_from: string;
  /** Another sender by the recipient's country, ISO 3166. */
  sms_senders: Record<string, string>;
  /** Words beside STOP that unsubscribe from SMS. */
  sms_stop_words: string[];
  /** The reply to HELP; null for one that says how to stop. */
  sms_help_text: string | null;
  /** In which no marketing message is handed over; in the contact's zone, or the named one. */
  quiet_hours: QuietHours | null;
  /** Marketing messages that one contact gets at most in so many hours. */
  frequency_cap: { messages: number; hours: number } | null;
  /** Whoever wants marketing less often gets one message in so many days. */
  less_often_days: number;
  /** Of the public pages, for contacts and browsers that ask for none. */
  language: Language;
  /** A flow's marketing message that could not be sent for so long is not sent at all. */
  max_lateness_hours: number;
  track_opens: boolean;
  track_clicks: boolean;
  /** Days from a click or an open to an order that counts for the message. */
  attribution_days: number;
  /** Stricter limits than those of the installation, shares of 1; null: its limits. */
  max_complaint_rate: number | null;
  max_bounce_rate: number | null;
  /** Marketing e-mails per hour by the recipients' domain, beside and before those of the installation. */
  domain_limits: Record<string, number>;
  /** What a contact made by an event begins with: nobody said anything of marketing then. */
  new_contacts_by_events: 'subscribed' | 'never';
  /** The private key is sealed with the master key. */
  dkim: SealedSigner | null;
}

/** The part of a company that sending needs. Kept in memory by version. */
export interface SendingCompany extends SendingSettings {
  companyId: number;
  name: string;
  timeZone: string;
  currency: string;
  exponent: number;
  /** The keys of its sending domains that were verified. */
  signers: (SealedSigner & { failing: boolean })[];
  /** Hosts that the links of its e-mails begin with. */
  trackingHosts: ActiveHost[];
  /** Why marketing e-mail is paused; null: it is sent. */
  paused: PauseReason | null;
  /** Its sending domains that are warmed up. */
  warmUps: WarmingDomain[];
  /** With those of the installation; null: none. */
  domainLimits: DomainLimits | null;
  /** Its accounts at mail and SMS services; what is not active sends nothing. */
  accounts: SealedAccount[];
}

/** A name that can never be anybody's (RFC 2606): a shop that has set no sender writes in nobody else's name. */
const DEFAULT_FROM = 'shop@tradeloom.example';

/** What holds for the installation where a company says nothing else. */
export interface SendingDefaults {
  domainLimits: DomainLimits;
}

export async function loadSendingCompany(
  db: Queryable,
  companyId: number,
  defaults: SendingDefaults = { domainLimits: {} },
): Promise<SendingCompany> {
  const [row] = await db.query<{
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
    select name, time_zone, currency, currency_exponent, settings -> 'messaging' as messaging,
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
    accounts: row.accounts,
  };
}

function defaultSettings(companyName: string): SendingSettings {
  return {
    from_email: DEFAULT_FROM,
    from_name: companyName,
    reply_to: null,
    sms_from:
      companyName
        .replace(/[^A-Za-z0-9 ]/g, '')
        .slice(0, 11)
        .trim() || 'Shop',
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

/** Who an SMS to the number comes from. */
export function smsSender({ sms_from, sms_senders }: SendingSettings, to: string): string {
  if (Object.keys(sms_senders).length === 0) return sms_from;
  return sms_senders[countryOfPhone(to) ?? ''] ?? sms_from;
}
