import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Nullable, OneOf, Trimmed } from '../../lib/schemas.ts';
import { QuietHoursSchema } from '../../recipients/quiet-hours.ts';
import { LANGUAGES } from '../consent/languages.ts';
import { Bounces, BouncesPatch } from '../feedback/bounce-settings.ts';

const Email = Trimmed({ minLength: 3, maxLength: 254 });
/** Letters and digits of any script: no spaces, control characters or ASCII punctuation. */
const STOP_WORD = '^[^\\x00-/:-@\\[-`{-\\x7f\\s]{2,20}$';
const settings = {
  from_email: Email,
  from_name: Trimmed({ minLength: 1, maxLength: 100 }),
  reply_to: Nullable(Email),
  sms_from: Trimmed({ minLength: 1, maxLength: 20, description: 'A number in E.164, or a name the provider knows' }),
  sms_senders: Type.Record(Type.String({ pattern: '^[A-Z]{2}$' }), Trimmed({ minLength: 1, maxLength: 20 }), {
    maxProperties: 250,
    description: 'Another sender by the country of the recipient’s number (ISO 3166): {"DE": "+4915112345678"}',
  }),
  sms_stop_words: Type.Array(Type.String({ pattern: STOP_WORD }), {
    maxItems: 20,
    description: 'Words that unsubscribe from SMS as STOP does',
  }),
  sms_help_text: Nullable(Trimmed({ minLength: 1, maxLength: 480, description: 'The reply to HELP' })),
  quiet_hours: Type.Unsafe<Static<typeof QuietHoursSchema> | null>({
    ...QuietHoursSchema,
    type: ['object', 'null'],
    description: 'No marketing message is sent in them',
  }),
  frequency_cap: Type.Unsafe<{ messages: number; hours: number } | null>({
    type: ['object', 'null'],
    properties: {
      messages: { type: 'integer', minimum: 1, maximum: 1_000 },
      hours: { type: 'integer', minimum: 1, maximum: 8_760 },
    },
    required: ['messages', 'hours'],
    description: 'Marketing messages that one contact gets at most in so many hours',
  }),
  less_often_days: Type.Integer({
    minimum: 1,
    maximum: 90,
    description: 'A contact that wants marketing less often gets one message in so many days at most',
  }),
  language: OneOf(LANGUAGES, {
    description: 'Of preference pages and confirmation mails, where neither contact nor browser ask for one of these',
  }),
  max_lateness_hours: Type.Integer({ minimum: 1, maximum: 8_760 }),
  track_opens: Type.Boolean(),
  track_clicks: Type.Boolean(),
  attribution_days: Type.Integer({ minimum: 1, maximum: 90, description: 'From a click or open to an order' }),
  max_complaint_rate: Nullable(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description:
        'Marketing e-mail is paused above this share of complaints; at most the limit of the installation, which null takes',
    }),
  ),
  max_bounce_rate: Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'The same, of hard bounces' })),
  domain_limits: Type.Record(
    Type.String({ pattern: '^[^.\\s@]+(\\.[^.\\s@]+)+$' }),
    Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    {
      maxProperties: 100,
      description:
        'Maximum marketing e-mails per hour by recipient domain, such as {"gmail.com": 2000}; others are postponed. For other domains, the installation’s limits apply',
    },
  ),
  new_contacts_by_events: OneOf(['subscribed', 'never'] as const, {
    description:
      'E-mail consent of contacts created by events: by default `never` for companies of the EU, the EEA, the United Kingdom and Switzerland, `subscribed` for others. Customers of the shop have their own consent (`accepts_marketing`).',
  }),
};
const Dkim = { domain: Trimmed({ minLength: 3, maxLength: 253 }), selector: Trimmed({ minLength: 1, maxLength: 63 }) };

export const SendingSettings = Type.Object({
  ...settings,
  held_since: Nullable(Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC: since when nothing is sent' })),
  held_because: Nullable(
    OneOf(['restored', 'loaded', 'asked', 'failover'] as const, {
      description:
        'restored: from a backup; loaded: a company was loaded from an export; failover: the database has lost its last commits; the operator resumes sending',
    }),
  ),
  dkim: Type.Unsafe<{ domain: string; selector: string } | null>({
    type: ['object', 'null'],
    properties: Dkim,
    description: 'The private key is never shown',
  }),
  bounces: Bounces,
});
export type SendingSettingsRecord = Static<typeof SendingSettings>;

export const SendingSettingsPatch = Type.Partial(
  Type.Object({
    ...settings,
    dkim: Type.Unsafe<{ domain: string; selector: string; private_key: string } | null>({
      type: ['object', 'null'],
      properties: { ...Dkim, private_key: { type: 'string', minLength: 100, maxLength: 10_000 } },
      required: ['domain', 'selector', 'private_key'],
      description: 'An RSA private key in PEM',
    }),
    bounces: BouncesPatch,
  }),
);
export type SendingSettingsPatch = Static<typeof SendingSettingsPatch>;

export const getSendingSettings = {
  method: 'GET',
  path: '/sending-settings',
  scope: 'marketing:read',
  tag: 'Sending settings',
  summary: 'Read how messages are sent',
  data: SendingSettings,
  status: 200,
} as const satisfies Endpoint;

export const updateSendingSettings = {
  method: 'PATCH',
  path: '/sending-settings',
  scope: 'marketing:write',
  confirm: true,
  tag: 'Sending settings',
  summary: 'Change how messages are sent',
  description: 'Changes the given fields; null clears a field.',
  body: SendingSettingsPatch,
  data: SendingSettings,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const sendingSettingsEndpoints: readonly Endpoint[] = [getSendingSettings, updateSendingSettings];
