import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery, RequestIdOfCause } from '../../lib/schemas.ts';
import { MESSAGE_STATES, MESSAGE_STATUSES } from '../ledger/message.ts';

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
  reply: Nullable(Type.String({ description: 'Reply of the mail server or the provider' })),
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
  request_id: RequestIdOfCause,
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
  inOrderOf: { by: 'message_id' },
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

/** In the order of the API reference. */
export const messageEndpoints: readonly Endpoint[] = [listMessages, getMessage, retryMessage, markMessageSent];
