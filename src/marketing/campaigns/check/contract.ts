import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf } from '../../../lib/schemas.ts';
import { WebAddress } from '../../../messaging/compose/warnings/addresses.ts';
import { FINDING_CODES, FINDING_FIELDS } from '../../../messaging/compose/warnings/findings.ts';

export const CheckFinding = Type.Object({
  severity: OneOf(['error', 'warning'] as const, { description: 'error: sending it would be refused' }),
  code: OneOf([
    ...(['required', 'unknown_coupon', 'list_deleted', 'segment_deleted', 'template_deleted'] as const),
    'campaign_deleted',
    ...(['wrong_status', 'no_transport', 'no_public_url', 'complaint_rate', 'bounce_rate'] as const),
    ...(['no_recipients', 'large_audience', 'cannot_render', 'time_past'] as const),
    ...FINDING_CODES,
  ]),
  field: OneOf(
    [
      ...(['status', 'settings', 'list_id', 'segment_id', 'template_id', 'scheduled_at'] as const),
      ...(['audiences', 'exclude'] as const),
      ...FINDING_FIELDS,
    ],
    {
      description: 'Of the campaign; settings: those of the company or of the installation',
    },
  ),
  variants: Type.Array(Type.String(), { description: 'In which variants it is; empty: in all, or there are none' }),
  detail: Nullable(Type.String({ description: 'Subject of the finding: a variable, an address, a name, a number' })),
  suggestion: Nullable(Type.String({ description: 'The known variable that comes nearest' })),
  message: Type.String({ description: 'The finding as a sentence' }),
});
export type CheckFinding = Static<typeof CheckFinding>;

export const CampaignCheck = Type.Object({
  campaign_id: Id,
  ready: Type.Boolean({ description: 'Whether there is no finding of severity error' }),
  recipients: Nullable(
    Type.Integer({
      description: 'Whom it would go to now; null without an audience, or if counting takes over a second',
    }),
  ),
  zones_known: Nullable(
    Type.Integer({
      description:
        'How many of the recipients have a time zone that is known: the others get it by the company’s. null without `send_in_contact_time_zone`, without an audience, or if counting takes over a second',
    }),
  ),
  batches: Nullable(
    Type.Object(
      {
        count: Type.Integer(),
        size: Type.Integer({ description: 'The most messages in one' }),
        takes_minutes: Type.Integer({ description: 'From the first batch to the last, without pauses' }),
      },
      { description: 'null unless it is sent in batches to a known number of recipients' },
    ),
  ),
  largest_before: Nullable(
    Type.Integer({ description: 'The most recipients that another campaign of this type had; null: none was started' }),
  ),
  needs_confirmation: Type.Boolean({
    description:
      'Whether a person who sends it must have proved within the last 15 minutes who they are: over 10,000 recipients, or too many to count',
  }),
  findings: Type.Array(CheckFinding, { description: 'Errors first' }),
  addresses: Type.Array(WebAddress, {
    description: 'The distinct web addresses of all its versions, none of which was called',
  }),
});
export type CampaignCheck = Static<typeof CampaignCheck>;

export const CheckQuery = Type.Object({
  scheduled_at: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'When it is to be sent, if not at once: a time in UTC or with an offset',
    }),
  ),
});
export type CheckQuery = Static<typeof CheckQuery>;

export const checkCampaign = {
  method: 'GET',
  path: '/campaigns/{id}/check',
  scope: 'marketing:read',
  tag: 'Campaigns',
  status: 200,
  summary: 'Check a campaign before it is sent',
  description:
    'What would refuse the send, what its writer should look at (the `findings` of previews, of each variant with a weight), and the number of recipients. `large_audience` warns of more than three times as many recipients as any campaign of this type had before. It changes nothing.',
  params: IdParams,
  query: CheckQuery,
  data: CampaignCheck,
} as const satisfies Endpoint;
