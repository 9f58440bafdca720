import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery } from '../../../lib/schemas.ts';
import { MESSAGE_STATUSES } from '../../../messaging/ledger/message.ts';
import { RECIPIENT_STATES } from './states.ts';

const Recipient = Type.Object({
  message_id: Id,
  contact_id: Nullable(Id),
  recipient: Nullable(Type.String({ description: 'Where it went' })),
  status: OneOf(MESSAGE_STATUSES),
  reason: Nullable(Type.String()),
  variant: Nullable(Type.String()),
  sent_at: Nullable(Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' })),
});
export type Recipient = Static<typeof Recipient>;
const RecipientQuery = Type.Object({
  state: Type.Optional(
    OneOf(RECIPIENT_STATES, {
      description:
        'queued: everything that is on its way; opened, clicked, bounced: what became of it, whatever its status',
    }),
  ),
  ...pageQuery(20),
});
export type RecipientQuery = Static<typeof RecipientQuery>;

export const listRecipients = {
  method: 'GET',
  path: '/campaigns/{id}/recipients',
  scope: 'marketing:read',
  tag: 'Campaigns',
  summary: 'List the recipients of a campaign',
  params: IdParams,
  query: RecipientQuery,
  inOrderOf: { by: 'message_id' },
  data: Type.Array(Recipient),
  listAs: 'recipients',
  status: 200,
} as const satisfies Endpoint;

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
