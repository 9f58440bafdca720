import Type, { type Static } from 'typebox';
import type { Endpoint } from '../http/api/endpoint.ts';
import { FreeForm, Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../lib/schemas.ts';
import { QuietHoursSchema } from '../marketing/flows/definition/definition.ts';
import { LANGUAGES } from './consent/languages.ts';
import { Bounces, BouncesPatch } from './feedback/bounce-settings.ts';
import { MESSAGE_STATES, MESSAGE_STATUSES } from './ledger/message.ts';

const CHANNELS = ['email', 'sms'] as const;
const Timestamp = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

export const Message = Type.Object({
  message_id: Id,
  channel: OneOf(CHANNELS),
  status: OneOf(MESSAGE_STATUSES, {
    description:
      'queued, claimed and handing_over are on their way; unknown: handed over, and nobody can say whether it arrived, until something happens to it',
  }),
  reason: Nullable(Type.String({ description: 'Why it failed or was skipped' })),
  reply: Nullable(Type.String({ description: 'What the mail server or the provider said' })),
  contact_id: Nullable(Id),
  recipient: Nullable(Type.String()),
  transactional: Type.Boolean(),
  origin: OneOf(['flow', 'campaign', 'system']),
  flow_id: Nullable(Id),
  run_id: Nullable(Id),
  step_id: Nullable(Type.String()),
  campaign_id: Nullable(Id),
  variant: Nullable(Type.String()),
  attempts: Type.Integer(),
  due_at: Timestamp,
  created_at: Timestamp,
  handed_over_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
});

export const MessageQuery = Type.Object({
  status: Type.Optional(OneOf(MESSAGE_STATES, { description: 'queued: everything that is on its way' })),
  channel: Type.Optional(OneOf(CHANNELS)),
  contact_id: Type.Optional(Id),
  flow_id: Type.Optional(Id),
  campaign_id: Type.Optional(Id),
  ...pageQuery(20),
});
export type MessageQuery = Static<typeof MessageQuery>;

export const listMessages = {
  method: 'GET',
  path: '/messages',
  scope: 'marketing:read',
  tag: 'Messages',
  summary: 'List the messages of flows and campaigns',
  description: 'Newest first. Filters combine.',
  query: MessageQuery,
  data: Type.Array(Message),
  listAs: 'messages',
  status: 200,
} as const satisfies Endpoint;

export const getMessage = {
  method: 'GET',
  path: '/messages/{id}',
  scope: 'marketing:read',
  tag: 'Messages',
  summary: 'Read a message',
  params: IdParams,
  data: Message,
  status: 200,
} as const satisfies Endpoint;

export const retryMessage = {
  method: 'POST',
  path: '/messages/retry/{id}',
  scope: 'marketing:write',
  tag: 'Messages',
  summary: 'Send a failed or unknown message again',
  description:
    'An unknown one may have arrived: then it arrives twice. Refused where its contact has another message of the same ' +
    'campaign that was sent, is unknown or waits.',
  params: IdParams,
  data: Message,
  status: 200,
} as const satisfies Endpoint;

export const markMessageSent = {
  method: 'POST',
  path: '/messages/mark-sent/{id}',
  scope: 'marketing:write',
  tag: 'Messages',
  summary: 'Take an unknown message as sent',
  params: IdParams,
  data: Message,
  status: 200,
} as const satisfies Endpoint;

const entry = {
  id: Id,
  channel: OneOf(CHANNELS),
  contact_id: Nullable(Id),
  from: Type.String(),
  to: Type.String(),
  subject: Nullable(Type.String()),
  message_id: Nullable(Type.String({ description: 'The Message-ID header' })),
  created_at: Timestamp,
};
export const MailboxEntry = Type.Object({
  ...entry,
  excerpt: Nullable(Type.String({ description: 'The preview text, or the text of an SMS' })),
});
export const MailboxMessage = Type.Object({
  ...entry,
  preview_text: Nullable(Type.String()),
  text: Type.String(),
  html: Nullable(Type.String()),
  headers: FreeForm,
});

export const MailboxQuery = Type.Object({
  to: Type.Optional(Trimmed({ minLength: 1, maxLength: 254, description: 'The whole address or number' })),
  ...pageQuery(20),
});
export type MailboxQuery = Static<typeof MailboxQuery>;

export const listMailbox = {
  method: 'GET',
  path: '/mailbox',
  scope: 'marketing:read',
  tag: 'Mailbox',
  summary: 'List what the built-in mailbox caught',
  description: 'Where no SMTP server or SMS provider is set, messages stay here. Newest first.',
  query: MailboxQuery,
  data: Type.Array(MailboxEntry),
  listAs: 'messages',
  status: 200,
} as const satisfies Endpoint;

export const getLatestMailboxMessage = {
  method: 'GET',
  path: '/mailbox/latest',
  scope: 'marketing:read',
  tag: 'Mailbox',
  summary: 'Read the newest message in the mailbox',
  description: 'Of all, or of those `to` one address. `html` is as it was sent: show it in a sandbox only.',
  query: Type.Object({ to: MailboxQuery.properties.to }),
  data: MailboxMessage,
  status: 200,
  mayFindNothing: true,
} as const satisfies Endpoint;

export const getMailboxMessage = {
  method: 'GET',
  path: '/mailbox/{id}',
  scope: 'marketing:read',
  tag: 'Mailbox',
  summary: 'Read a message in the mailbox',
  description: '`html` is as it was sent: show it in a sandbox only.',
  params: IdParams,
  data: MailboxMessage,
  status: 200,
} as const satisfies Endpoint;

const Email = Trimmed({ minLength: 3, maxLength: 254 });
const settings = {
  from_email: Email,
  from_name: Trimmed({ minLength: 1, maxLength: 100 }),
  reply_to: Nullable(Email),
  sms_from: Trimmed({ minLength: 1, maxLength: 20, description: 'A number in E.164, or a name the provider knows' }),
  sms_senders: Type.Record(Type.String({ pattern: '^[A-Z]{2}$' }), Trimmed({ minLength: 1, maxLength: 20 }), {
    maxProperties: 250,
    description: 'Another sender by the country of the recipient’s number (ISO 3166): {"DE": "+4915112345678"}',
  }),
  sms_stop_words: Type.Array(Type.String({ pattern: '^[\\p{L}\\p{N}]{2,20}$' }), {
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
  new_contacts_by_events: OneOf(['subscribed', 'never'] as const, {
    description:
      'The consent to e-mail of a contact that an event makes. Customers of the shop have the one that they gave (`accepts_marketing`).',
  }),
};
const Dkim = { domain: Trimmed({ minLength: 3, maxLength: 253 }), selector: Trimmed({ minLength: 1, maxLength: 63 }) };

export const SendingSettings = Type.Object({
  ...settings,
  held_since: Nullable(Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC: since when nothing is sent' })),
  held_because: Nullable(
    OneOf(['restored', 'asked'] as const, { description: 'restored: from a backup; the operator lets sending go on' }),
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
  tag: 'Sending settings',
  summary: 'Change how messages are sent',
  description: 'Sets what is given; null goes back to nothing.',
  body: SendingSettingsPatch,
  data: SendingSettings,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const messagingEndpoints: readonly Endpoint[] = [
  listMessages,
  getMessage,
  retryMessage,
  markMessageSent,
  listMailbox,
  getLatestMailboxMessage,
  getMailboxMessage,
  getSendingSettings,
  updateSendingSettings,
];
