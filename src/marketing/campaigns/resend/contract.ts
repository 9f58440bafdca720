import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { IdParams, Trimmed } from '../../../lib/schemas.ts';
import { Campaign } from '../campaign-schema.ts';

export const ResendInput = Type.Object({
  subject: Type.Optional(
    Trimmed({ minLength: 1, maxLength: 900, description: 'A new one; default: that of the first' }),
  ),
});
export type ResendInput = Static<typeof ResendInput>;

export const resendCampaign = {
  method: 'POST',
  path: '/campaigns/resend/{id}',
  scope: 'marketing:write',
  tag: 'Campaigns',
  summary: 'Draft a campaign to those who did not open this one',
  description:
    'Of an e-mail campaign that is sent. The draft has its content, that of the winner after an A/B test, and `audiences` with `unopened_campaign_id`: who is in it is decided when the draft is sent. Opens by machines do not count; a click does. Recipients to whom it was not delivered, who complained or who unsubscribed are left out.',
  params: IdParams,
  body: ResendInput,
  bodyOptional: true,
  data: Campaign,
  status: 201,
} as const satisfies Endpoint;
