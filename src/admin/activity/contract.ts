import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery } from '../../lib/schemas.ts';
import { MESSAGE_STATUSES } from '../../messaging/ledger/message.ts';

const CHANNELS = ['email', 'sms'] as const;
const Moment = Type.String({ format: 'date-time' });

export const CustomerContact = Type.Object({
  contact_id: Nullable(Type.Integer({ description: 'Null where the marketing side does not know the customer yet' })),
});
export type CustomerContact = Static<typeof CustomerContact>;

export const ContactCustomer = Type.Object({
  customer_id: Nullable(Type.Integer({ description: 'Null where the contact is no customer' })),
});
export type ContactCustomer = Static<typeof ContactCustomer>;

export const CustomerName = Type.Object({
  id: Id,
  name: Type.String({ description: 'First and last name; empty where neither is known' }),
  email: Type.String(),
});
export type CustomerName = Static<typeof CustomerName>;

const message = {
  message_id: Id,
  channel: OneOf(CHANNELS),
  status: OneOf(MESSAGE_STATUSES),
  reason: Nullable(Type.String({ description: 'Why it failed or was skipped' })),
  origin: OneOf(['flow', 'campaign', 'system']),
  origin_id: Nullable(Type.Integer({ description: 'Of the flow or campaign' })),
  title: Nullable(Type.String({ description: 'The name of the flow or campaign' })),
  at: Type.String({ format: 'date-time', description: 'When it was handed over; before that, when it was queued' }),
};

export const SentMessage = Type.Object(message);
export type SentMessage = Static<typeof SentMessage>;

export const TIMELINE_KINDS = ['cart', 'history', 'points', 'message', 'note'] as const;

export const TimelineEntry = Type.Object({
  kind: OneOf(TIMELINE_KINDS),
  id: Type.Integer({ description: 'Unique within its kind and type; of a cart that is `created`, the cart' }),
  at: Moment,
  type: Type.String({
    description:
      'history: as by GET /orders/{id}/history; points: as in the loyalty ledger; note: `note`; message: its channel; cart: `created`, `checkout_started` or `paying`',
  }),
  from: Nullable(Type.String({ description: 'The status before' })),
  to: Nullable(Type.String({ description: 'The status after; of a message its own' })),
  points: Nullable(Type.Integer()),
  text: Nullable(
    Type.String({
      description: 'Of a note, a history entry or an adjustment; for a message, its origin; of `paying`, the method',
    }),
  ),
  actor: Nullable(Type.String()),
  actor_name: Nullable(Type.String({ description: "The person's name" })),
});
export type TimelineEntry = Static<typeof TimelineEntry>;

const tag = 'Activity';

export const getCustomerContact = {
  method: 'GET',
  path: '/customers/{id}/contact',
  scope: 'marketing:read',
  tag,
  summary: 'Find the contact that a customer is',
  params: IdParams,
  data: CustomerContact,
  status: 200,
} as const satisfies Endpoint;

export const getContactCustomer = {
  method: 'GET',
  path: '/contacts/{id}/customer',
  scope: 'customers:read',
  tag,
  summary: 'Find the customer that a contact is',
  params: IdParams,
  data: ContactCustomer,
  status: 200,
} as const satisfies Endpoint;

export const getCustomerNames = {
  method: 'GET',
  path: '/customer-names',
  scope: 'customers:read',
  tag,
  summary: 'Name the customers of a list',
  description: 'In the order of their ids, without those who were erased.',
  query: Type.Object({
    ids: Type.String({
      pattern: '^[1-9][0-9]{0,14}(,[1-9][0-9]{0,14}){0,99}$',
      description: 'Up to 100, separated by commas',
      maxLength: 1_600,
      examples: ['1,2'],
    }),
  }),
  data: Type.Object({ customers: Type.Array(CustomerName) }),
  status: 200,
} as const satisfies Endpoint;

export const listCustomerMessages = {
  method: 'GET',
  path: '/customers/{id}/messages',
  scope: 'marketing:read',
  tag,
  summary: 'List the messages to a customer',
  description: 'Newest first, with the flow or campaign that sent each.',
  params: IdParams,
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'message_id' },
  data: Type.Array(SentMessage),
  listAs: 'messages',
  status: 200,
} as const satisfies Endpoint;

export const getOrderTimeline = {
  method: 'GET',
  path: '/orders/{id}/timeline',
  scope: 'orders:read',
  tag,
  summary: 'Read everything that happened to an order',
  description:
    'The latest first: the cart that it was placed from, its history, points, notes and, for roles that may see them, the messages of flows that its events started. At most the latest 200 of each kind.',
  params: IdParams,
  data: Type.Object({ timeline: Type.Array(TimelineEntry) }),
  status: 200,
} as const satisfies Endpoint;

export const activityEndpoints: readonly Endpoint[] = [
  getCustomerContact,
  getContactCustomer,
  getCustomerNames,
  listCustomerMessages,
  getOrderTimeline,
];
