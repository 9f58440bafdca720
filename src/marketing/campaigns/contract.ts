import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf } from '../../lib/schemas.ts';
import { getCampaignCalendar } from './calendar/contract.ts';
import {
  Campaign,
  CampaignInput,
  CampaignPatch,
  CampaignQuery,
  RecipientsExact,
  ScheduledAt,
  Timezone,
} from './campaign-schema.ts';
import { checkCampaign } from './check/contract.ts';
import { getLinkMap } from './link-map/contract.ts';
import { previewCampaign, testCampaign } from './preview/contract.ts';
import { listRecipients } from './recipients/contract.ts';
import { getReport } from './report/contract.ts';
import { resendCampaign } from './resend/contract.ts';
import { CAMPAIGN_STATUSES } from './status.ts';

const Timestamp = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });
const read = { scope: 'marketing:read', tag: 'Campaigns', status: 200 } as const;
const action = { method: 'POST', scope: 'marketing:write', tag: 'Campaigns', params: IdParams, status: 200 } as const;

export const listCampaigns = {
  ...read,
  method: 'GET',
  path: '/campaigns',
  summary: 'List campaigns',
  description: 'Newest first unless `sort` is set.',
  query: CampaignQuery,
  inOrderOf: { by: 'campaign_id' },
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
  conditional: true,
  description:
    'Drafts and scheduled campaigns can be changed; the name always can. A scheduled campaign must stay complete; `scheduled_at` null makes it a draft again. Setting a future `scheduled_at` on a complete draft schedules it.',
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
  ...action,
  path: '/campaigns/send/{id}',
  summary: 'Send or schedule a campaign',
  description:
    'Without scheduled_at it is sent now. While it is being sent, nothing happens twice. Recipients that take more than a second to count are counted in the background: then `recipients_exact` is false and `recipients` 0, and `GET /campaigns/{id}` has the number once it is known. A person who sends to more than 10,000 recipients, or to so many that they take too long to count, must have proved within the last 15 minutes who they are.',
  body: Type.Object({ scheduled_at: ScheduledAt, timezone: Timezone }),
  bodyOptional: true,
  data: Sending,
} as const satisfies Endpoint;

export const pauseCampaign = {
  ...action,
  path: '/campaigns/pause/{id}',
  summary: 'Pause a campaign',
  data: Campaign,
} as const satisfies Endpoint;
export const resumeCampaign = {
  ...action,
  path: '/campaigns/resume/{id}',
  summary: 'Resume a paused campaign',
  data: Campaign,
} as const satisfies Endpoint;
export const cancelCampaign = {
  ...action,
  path: '/campaigns/cancel/{id}',
  summary: 'Cancel a campaign',
  description: 'Unsent messages are skipped.',
  data: Campaign,
} as const satisfies Endpoint;
export const duplicateCampaign = {
  ...action,
  path: '/campaigns/duplicate/{id}',
  summary: 'Copy a campaign as a new draft',
  data: Campaign,
  status: 201,
} as const satisfies Endpoint;

export const retryCampaign = {
  ...action,
  path: '/campaigns/retry/{id}',
  summary: 'Send again what failed',
  description:
    'With include_unknown, also messages that may have arrived. The first 5,000 are queued at once, the others in the background.',
  body: Type.Object({ include_unknown: Type.Optional(Type.Boolean()) }),
  bodyOptional: true,
  data: Type.Object({
    campaign_id: Id,
    status: OneOf(CAMPAIGN_STATUSES),
    requeued: Type.Integer({ description: 'Messages that are queued again by now' }),
    remaining: Type.Integer({ description: 'Messages that are still looked at in the background' }),
  }),
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const campaignEndpoints: readonly Endpoint[] = [
  listCampaigns,
  createCampaign,
  getCampaignCalendar,
  getCampaign,
  updateCampaign,
  deleteCampaign,
  sendCampaign,
  pauseCampaign,
  resumeCampaign,
  cancelCampaign,
  duplicateCampaign,
  resendCampaign,
  retryCampaign,
  testCampaign,
  previewCampaign,
  checkCampaign,
  listRecipients,
  getReport,
  getLinkMap,
];
