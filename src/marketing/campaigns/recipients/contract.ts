import Type from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { IdParams, OneOf } from '../../../lib/schemas.ts';
import { RECIPIENT_STATES } from './states.ts';

/** For the admin app only: clients generated from the contracts accept JSON. */
export const exportRecipients = {
  method: 'GET',
  path: '/campaigns/{id}/recipients/export',
  scope: 'marketing:read',
  tag: 'Campaigns',
  summary: 'The recipients of a campaign as CSV',
  description:
    'Newest first, with message, contact, name, address, status, reason, variant and time. Sent while it is read; two exports of a company run at a time.',
  params: IdParams,
  query: Type.Object({ state: Type.Optional(OneOf(RECIPIENT_STATES)) }),
  contentType: 'text/csv',
  streams: true,
  data: Type.String(),
  status: 200,
} as const satisfies Endpoint;

export const recipientsEndpoints: readonly Endpoint[] = [exportRecipients];
