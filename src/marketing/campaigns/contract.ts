import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { MESSAGE_STATES, MESSAGE_STATUSES } from '../../messaging/ledger/message.ts';
import { Preview } from '../templates/contract.ts';
import { CAMPAIGN_STATUSES } from './status.ts';

export const TYPES = ['email', 'sms'] as const;
const Timestamp = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

export const Counts = Type.Object({
  queued: Type.Integer(),
  sent: Type.Integer(),
  failed: Type.Integer(),
  skipped: Type.Integer(),
  unknown: Type.Integer(),
  delivered: Type.Integer({ description: 'Sent, and no bounce reported since' }),
  opened: Type.Integer({ description: 'By recipients, as far as it shows' }),
  machine_opened: Type.Integer({ description: 'By mail services and scanners; such messages may be opened as well' }),
  clicked: Type.Integer(),
  bounced: Type.Integer(),
  complained: Type.Integer(),
  unsubscribed: Type.Integer(),
  converted: Type.Integer({ description: 'Orders after a click, else an open, within the days of attribution' }),
  revenue: Type.Number({ description: "Of these orders, in the shop's currency" }),
});
export type Counts = Static<typeof Counts>;
/** What happens to messages after they are sent. */
export const ACTIVITY = [
  ...(['opened', 'machine_opened', 'clicked', 'bounced', 'complained', 'unsubscribed', 'converted'] as const),
  'revenue',
] as const;

const text = {
  subject: Nullable(Type.String({ maxLength: 900, description: 'Liquid' })),
  preview_text: Nullable(Type.String({ maxLength: 255, description: 'Liquid' })),
  content: Nullable(Type.String({ maxLength: 500_000, description: 'HTML or MJML, or the text of an SMS; Liquid' })),
  template_id: Nullable(Id),
};
export const Variant = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' }),
  weight: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Its share of the recipients' }),
  subject: Type.Optional(Type.String({ minLength: 1, maxLength: 900 })),
  preview_text: Type.Optional(Type.String({ maxLength: 255 })),
  content: Type.Optional(Type.String({ minLength: 1, maxLength: 500_000 })),
  template_id: Type.Optional(Id),
});
export type Variant = Static<typeof Variant>;
const Variants = Type.Array(Variant, { maxItems: 10, description: 'Parts that differ from the campaign’s own' });

/** On what variants are compared. */
export const AbTest = Type.Object(
  {
    share: Type.Integer({
      minimum: 1,
      maximum: 99,
      description: 'Percent of the recipients who get the variants at once',
    }),
    hours: Type.Integer({
      minimum: 1,
      maximum: 720,
      description: 'From the start until the best variant goes to all others',
    }),
    metric: OneOf(['opened', 'clicked', 'converted', 'revenue'] as const, {
      description: 'Of which the winner has most per sent message',
    }),
  },
  { description: 'Send the variants to a share first and the best of them to the rest; without it, to all by weight' },
);
export type AbTest = Static<typeof AbTest>;

const MaxLateness = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: 8_760,
    description:
      'A message that could not be sent for so long, pauses included, is skipped; null: it is sent however late',
  }),
);
const RecipientsExact = Type.Boolean({
  description: 'false while the recipients are still being counted: `recipients` is what is known so far',
});

export const Campaign = Type.Object({
  campaign_id: Id,
  name: Type.String(),
  type: OneOf(TYPES),
  status: OneOf(CAMPAIGN_STATUSES),
  reason: Nullable(Type.String({ description: 'Why it is paused or failed, where nobody asked for it' })),
  ...text,
  from: Nullable(Type.String()),
  list_id: Nullable(Id),
  segment_id: Nullable(Id),
  variants: Variants,
  ab_test: Nullable(AbTest),
  winner: Nullable(Type.String({ description: 'The key of the variant that did best' })),
  max_lateness_hours: MaxLateness,
  scheduled_at: Nullable(Timestamp),
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  recipients: Type.Integer({
    description:
      'Once all messages are written, how many they are; before, whom it goes to as last counted, or else how many are written',
  }),
  recipients_exact: RecipientsExact,
  counts: Counts,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Campaign = Static<typeof Campaign>;

const Name = Trimmed({ minLength: 1, maxLength: 255 });
const ScheduledAt = Type.Optional(
  Nullable(Type.String({ maxLength: 40, description: 'YYYY-MM-DD HH:MM:SS in UTC, or ISO 8601' })),
);
const Timezone = Type.Optional(Type.String({ maxLength: 64, description: 'IANA zone of scheduled_at' }));
const optional = {
  subject: Type.Optional(text.subject),
  preview_text: Type.Optional(text.preview_text),
  content: Type.Optional(text.content),
  template_id: Type.Optional(text.template_id),
  from: Type.Optional(Nullable(Trimmed({ maxLength: 320, description: 'An address, or Name <address>' }))),
  list_id: Type.Optional(Nullable(Id)),
  segment_id: Type.Optional(Nullable(Id)),
  variants: Type.Optional(Variants),
  ab_test: Type.Optional(Nullable(AbTest)),
  max_lateness_hours: Type.Optional(MaxLateness),
  scheduled_at: ScheduledAt,
  timezone: Timezone,
};
export const CampaignInput = Type.Object({ name: Name, type: OneOf(TYPES), ...optional });
export type CampaignInput = Static<typeof CampaignInput>;
export const CampaignPatch = Type.Object({ name: Type.Optional(Name), ...optional });
export type CampaignPatch = Static<typeof CampaignPatch>;

export const CampaignQuery = Type.Object({
  type: Type.Optional(OneOf(TYPES)),
  status: Type.Optional(OneOf(CAMPAIGN_STATUSES)),
  ...pageQuery(20),
});
export type CampaignQuery = Static<typeof CampaignQuery>;

export const Recipient = Type.Object({
  message_id: Id,
  contact_id: Nullable(Id),
  recipient: Nullable(Type.String({ description: 'Where it went' })),
  status: OneOf(MESSAGE_STATUSES),
  reason: Nullable(Type.String()),
  variant: Nullable(Type.String()),
  sent_at: Nullable(Timestamp),
});
export type Recipient = Static<typeof Recipient>;
export const RecipientQuery = Type.Object({
  state: Type.Optional(OneOf(MESSAGE_STATES, { description: 'queued: everything that is on its way' })),
  ...pageQuery(20),
});
export type RecipientQuery = Static<typeof RecipientQuery>;

const Day = Type.Object({
  date: Type.String({ description: 'YYYY-MM-DD' }),
  ...Type.Pick(Counts, ['sent', ...ACTIVITY]).properties,
});
const Reason = Type.Object({ status: Type.String(), reason: Nullable(Type.String()), count: Type.Integer() });
export const Report = Type.Object({
  campaign_id: Id,
  counts: Counts,
  winner: Nullable(Type.String()),
  variants: Type.Array(Type.Object({ key: Type.String(), counts: Counts })),
  links: Type.Array(
    Type.Object({ url: Type.String(), clicks: Type.Integer({ description: 'Recipients who clicked' }) }),
    { description: 'The hundred that most clicked' },
  ),
  days: Type.Array(Day, { description: 'On which something happened, in UTC' }),
  reasons: Type.Array(Reason, { description: 'Why messages failed, were skipped or are unknown' }),
});

const read = { scope: 'marketing:read', tag: 'Campaigns', status: 200 } as const;
const deed = { method: 'POST', scope: 'marketing:write', tag: 'Campaigns', params: IdParams, status: 200 } as const;

export const listCampaigns = {
  ...read,
  method: 'GET',
  path: '/campaigns',
  summary: 'List campaigns',
  description: 'Newest first.',
  query: CampaignQuery,
  data: Type.Array(Campaign),
  listAs: 'campaigns',
} as const satisfies Endpoint;

export const createCampaign = {
  method: 'POST',
  path: '/campaigns',
  scope: 'marketing:write',
  tag: 'Campaigns',
  summary: 'Create a campaign',
  description: 'Complete and with a scheduled_at to come, it is scheduled; otherwise a draft.',
  body: CampaignInput,
  data: Campaign,
  status: 201,
} as const satisfies Endpoint;

export const getCampaign = {
  ...read,
  method: 'GET',
  path: '/campaigns/{id}',
  summary: 'Read a campaign',
  params: IdParams,
  data: Campaign,
} as const satisfies Endpoint;

export const updateCampaign = {
  method: 'PATCH',
  path: '/campaigns/{id}',
  scope: 'marketing:write',
  tag: 'Campaigns',
  summary: 'Change a campaign',
  description:
    'As long as it is a draft or scheduled; its name always. One that is scheduled stays complete: a change that takes away what it needs is refused, and `scheduled_at` null makes it a draft again. A draft that is complete is scheduled by a change that gives it a `scheduled_at` to come.',
  params: IdParams,
  body: CampaignPatch,
  data: Campaign,
  status: 200,
} as const satisfies Endpoint;

export const deleteCampaign = {
  method: 'DELETE',
  path: '/campaigns/{id}',
  scope: 'marketing:write',
  tag: 'Campaigns',
  summary: 'Delete a campaign',
  description: 'Not while it is being sent. Its messages stay in the ledger.',
  params: IdParams,
  data: Type.Object({ campaign_id: Id, deleted: Type.Boolean() }),
  status: 200,
} as const satisfies Endpoint;

export const Sending = Type.Object({
  campaign_id: Id,
  status: OneOf(CAMPAIGN_STATUSES),
  scheduled_at: Nullable(Timestamp),
  recipients: Type.Integer({ description: 'Whom it goes to, as of now; 0 as long as that is not known' }),
  recipients_exact: RecipientsExact,
});

export const sendCampaign = {
  ...deed,
  path: '/campaigns/send/{id}',
  summary: 'Send or schedule a campaign',
  description:
    'Without scheduled_at it is sent now. While it is being sent, nothing happens twice. Recipients that take more than a second to count are counted in the background: then `recipients_exact` is false and `recipients` 0, and `GET /campaigns/{id}` has the number once it is known.',
  body: Type.Object({ scheduled_at: ScheduledAt, timezone: Timezone }),
  bodyOptional: true,
  data: Sending,
} as const satisfies Endpoint;

export const pauseCampaign = {
  ...deed,
  path: '/campaigns/pause/{id}',
  summary: 'Pause a campaign',
  data: Campaign,
} as const satisfies Endpoint;
export const resumeCampaign = {
  ...deed,
  path: '/campaigns/resume/{id}',
  summary: 'Go on with a paused campaign',
  data: Campaign,
} as const satisfies Endpoint;
export const cancelCampaign = {
  ...deed,
  path: '/campaigns/cancel/{id}',
  summary: 'Cancel a campaign',
  description: 'What is not sent yet is skipped.',
  data: Campaign,
} as const satisfies Endpoint;
export const duplicateCampaign = {
  ...deed,
  path: '/campaigns/duplicate/{id}',
  summary: 'Copy a campaign as a new draft',
  data: Campaign,
  status: 201,
} as const satisfies Endpoint;

export const retryCampaign = {
  ...deed,
  path: '/campaigns/retry/{id}',
  summary: 'Send again what failed',
  description:
    'With include_unknown also what may have arrived. The first 5,000 are queued for the response, the others in the background.',
  body: Type.Object({ include_unknown: Type.Optional(Type.Boolean()) }),
  bodyOptional: true,
  data: Type.Object({
    campaign_id: Id,
    status: OneOf(CAMPAIGN_STATUSES),
    requeued: Type.Integer({ description: 'Messages that are queued again by now' }),
    remaining: Type.Integer({ description: 'Messages that are still looked at in the background' }),
  }),
} as const satisfies Endpoint;

export const testCampaign = {
  ...deed,
  path: '/campaigns/test/{id}',
  summary: 'Send a test to addresses of your own',
  body: Type.Object({
    recipients: Type.Array(Trimmed({ minLength: 3, maxLength: 254, description: 'E-mail addresses or numbers' }), {
      minItems: 1,
      maxItems: 10,
    }),
    contact_id: Type.Optional(Id),
    variant: Type.Optional(Type.String({ maxLength: 64 })),
  }),
  data: Type.Object({ campaign_id: Id, queued: Type.Integer() }),
} as const satisfies Endpoint;

export const previewCampaign = {
  ...deed,
  path: '/campaigns/preview/{id}',
  scope: 'marketing:read',
  summary: 'Preview a campaign as a contact gets it',
  body: Type.Object({ contact_id: Type.Optional(Id), variant: Type.Optional(Type.String({ maxLength: 64 })) }),
  bodyOptional: true,
  data: Preview,
} as const satisfies Endpoint;

export const listRecipients = {
  ...read,
  method: 'GET',
  path: '/campaigns/{id}/recipients',
  summary: 'List the recipients of a campaign',
  params: IdParams,
  query: RecipientQuery,
  data: Type.Array(Recipient),
  listAs: 'recipients',
} as const satisfies Endpoint;

export const getReport = {
  ...read,
  method: 'GET',
  path: '/campaigns/{id}/report',
  summary: 'Read what became of a campaign',
  params: IdParams,
  data: Report,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const campaignEndpoints: readonly Endpoint[] = [
  listCampaigns,
  createCampaign,
  getCampaign,
  updateCampaign,
  deleteCampaign,
  sendCampaign,
  pauseCampaign,
  resumeCampaign,
  cancelCampaign,
  duplicateCampaign,
  retryCampaign,
  testCampaign,
  previewCampaign,
  listRecipients,
  getReport,
];
