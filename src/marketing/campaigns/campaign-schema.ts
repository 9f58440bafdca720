import Type, { type Static } from 'typebox';
import { Id, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { sortNames } from '../../lib/sorting.ts';
import { Revision } from '../../lib/validation/revision.ts';
import { WarmUpProgress } from '../../messaging/sending-domains/warm-up/progress.ts';
import { Audiences, Exclude } from './audience/composition.ts';
import { Batches } from './batches/plan.ts';
import { HoldoutPercent } from './hold-out/contract.ts';
import { Counts } from './report/contract.ts';
import { CAMPAIGN_STATUSES } from './status.ts';

export const TYPES = ['email', 'sms'] as const;
const Timestamp = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

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
  from: Type.Optional(Trimmed({ minLength: 1, maxLength: 320, description: 'An address, or Name <address>' })),
});
export type Variant = Static<typeof Variant>;
const Variants = Type.Array(Variant, { maxItems: 10, description: 'Parts that differ from the campaign’s own' });

/** How the variants are compared. */
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
const InContactZone = Type.Boolean({
  description:
    'Each recipient gets it when the clock in their time zone (property `timezone`, or that of the address, else the company’s) shows the time of `scheduled_at`, as `timezone` or the company’s zone shows it. It starts when UTC+14 reaches that time, up to 26 hours before the last; not with `ab_test`',
});
export const RecipientsExact = Type.Boolean({
  description: 'false while recipients are being counted: `recipients` is a preliminary number',
});

const BatchProgress = Type.Object(
  {
    size: Type.Integer({ description: 'Messages in a batch' }),
    released: Type.Integer({ description: 'Messages of the batches that have begun' }),
    next_at: Nullable(
      Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC; null without a next batch, and while paused' }),
    ),
    ends_at: Nullable(Type.String({ description: 'When the last batch begins; null as next_at is' })),
  },
  { description: 'Of a campaign in batches that is being sent or paused, once the first batch has begun' },
);

export const Campaign = Type.Object({
  campaign_id: Id,
  name: Type.String(),
  type: OneOf(TYPES),
  status: OneOf(CAMPAIGN_STATUSES),
  reason: Nullable(Type.String({ description: 'Why the program paused or failed it' })),
  ...text,
  from: Nullable(Type.String()),
  list_id: Nullable(Id),
  segment_id: Nullable(Id),
  audiences: Audiences,
  exclude: Exclude,
  variants: Variants,
  ab_test: Nullable(AbTest),
  winner: Nullable(Type.String({ description: 'The key of the variant that did best' })),
  max_lateness_hours: MaxLateness,
  holdout_percent: HoldoutPercent,
  held_out: Nullable(Type.Integer({ description: 'How many were held out, once all recipients are drawn' })),
  send_in_contact_time_zone: InContactZone,
  batches: Nullable(Batches),
  batch_progress: Nullable(BatchProgress),
  scheduled_at: Nullable(Timestamp),
  starts_at: Nullable(
    Type.String({
      description:
        'YYYY-MM-DD HH:MM:SS, UTC. `scheduled_at`, or with send_in_contact_time_zone the moment at which the first time zone (UTC+14) reaches its wall-clock time',
    }),
  ),
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  recipients: Type.Integer({
    description:
      'Once all messages are written, how many they are; before, whom it goes to as last counted, those to be held out included, or else how many are written',
  }),
  recipients_exact: RecipientsExact,
  counts: Counts,
  revision: Revision,
  warm_up: Type.Optional(WarmUpProgress),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Campaign = Static<typeof Campaign>;

const Name = Trimmed({ minLength: 1, maxLength: 255 });
export const ScheduledAt = Type.Optional(
  Nullable(Type.String({ maxLength: 40, description: 'YYYY-MM-DD HH:MM:SS in UTC, or ISO 8601' })),
);
export const Timezone = Type.Optional(Type.String({ maxLength: 64, description: 'IANA zone of scheduled_at' }));
const optional = {
  subject: Type.Optional(text.subject),
  preview_text: Type.Optional(text.preview_text),
  content: Type.Optional(text.content),
  template_id: Type.Optional(text.template_id),
  from: Type.Optional(
    Nullable(
      Trimmed({
        maxLength: 320,
        description:
          'An address, or Name <address>. A person who chooses another one than that of the sending settings or of a verified domain must have proved within the last 15 minutes who they are.',
      }),
    ),
  ),
  list_id: Type.Optional(Nullable(Id)),
  segment_id: Type.Optional(Nullable(Id)),
  audiences: Type.Optional(Audiences),
  exclude: Type.Optional(Exclude),
  variants: Type.Optional(Variants),
  ab_test: Type.Optional(Nullable(AbTest)),
  max_lateness_hours: Type.Optional(MaxLateness),
  holdout_percent: Type.Optional(HoldoutPercent),
  send_in_contact_time_zone: Type.Optional(InContactZone),
  batches: Type.Optional(Nullable(Batches)),
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
  sort: Type.Optional(
    OneOf(sortNames('name', 'scheduled'), {
      description: 'Sort order; default newest first. Campaigns without a sending time come last',
    }),
  ),
  ...pageQuery(20),
});
export type CampaignQuery = Static<typeof CampaignQuery>;
