import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { CalendarDate, IdParams, Nullable, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { Order } from '../orders/contract.ts';
import { frequencyEndpoints } from './frequencies/contract.ts';
import {
  Calendar,
  CalendarQuery,
  HistoryEntry,
  Subscription,
  SubscriptionInput,
  SubscriptionPatch,
  SubscriptionQuery,
  Upcoming,
} from './schemas.ts';

const read = { scope: 'subscriptions:read', tag: 'Subscriptions', status: 200 } as const;
const write = { scope: 'subscriptions:write', tag: 'Subscriptions', status: 200 } as const;

export const listSubscriptions = {
  ...read,
  method: 'GET',
  path: '/subscriptions',
  summary: 'List subscriptions',
  query: SubscriptionQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(Subscription),
} as const satisfies Endpoint;

export const getCalendar = {
  ...read,
  method: 'GET',
  path: '/subscriptions/calendar',
  summary: 'Read what is due on which day',
  description:
    'The orders that active subscriptions will place, by day, as it stands now: from today on for six weeks where nothing else is asked for, at most 62 days.',
  query: CalendarQuery,
  data: Calendar,
} as const satisfies Endpoint;

export const getSubscription = {
  ...read,
  method: 'GET',
  path: '/subscriptions/{id}',
  summary: 'Read a subscription',
  params: IdParams,
  data: Subscription,
} as const satisfies Endpoint;

export const getUpcoming = {
  ...read,
  method: 'GET',
  path: '/subscriptions/{id}/upcoming',
  summary: 'Preview the next order',
  description:
    'Priced by the code that renews. 404 `no_upcoming_order` for a subscription that is paused or cancelled, or whose order could not be placed for another reason than stock.',
  params: IdParams,
  data: Upcoming,
} as const satisfies Endpoint;

export const listSubscriptionOrders = {
  ...read,
  method: 'GET',
  path: '/subscriptions/{id}/orders',
  summary: "List a subscription's orders",
  params: IdParams,
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'id' },
  data: Type.Array(Order),
} as const satisfies Endpoint;

export const createSubscription = {
  ...write,
  method: 'POST',
  path: '/subscriptions',
  summary: 'Start a subscription',
  description:
    "Shipped to the address given, as a whole, else to the customer's default address. `start_date` is today when absent; days are the shop's, by its time zone.",
  body: SubscriptionInput,
  data: Subscription,
  status: 201,
} as const satisfies Endpoint;

export const updateSubscription = {
  ...write,
  method: 'PATCH',
  path: '/subscriptions/{id}',
  summary: 'Change quantity, frequency or next date',
  description:
    'Later dates are counted from a new `next_billing_date`, which is today or later. A new frequency goes on from the next date.',
  params: IdParams,
  body: SubscriptionPatch,
  data: Subscription,
} as const satisfies Endpoint;

export const cancelSubscription = {
  ...write,
  method: 'POST',
  path: '/subscriptions/{id}/cancel',
  summary: 'Cancel a subscription at once',
  params: IdParams,
  body: Type.Object({ reason: Type.Optional(Nullable(Trimmed({ maxLength: 1_000 }))) }),
  bodyOptional: true,
  data: Subscription,
} as const satisfies Endpoint;

export const pauseSubscription = {
  ...write,
  method: 'POST',
  path: '/subscriptions/{id}/pause',
  summary: 'Pause a subscription, until a date or until it is resumed',
  description: 'Dates that pass meanwhile are passed over.',
  params: IdParams,
  body: Type.Object({ resume_on: Type.Optional(Nullable(CalendarDate)) }),
  bodyOptional: true,
  data: Subscription,
} as const satisfies Endpoint;

export const resumeSubscription = {
  ...write,
  method: 'POST',
  path: '/subscriptions/{id}/resume',
  summary: 'Resume a paused subscription',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
  data: Subscription,
} as const satisfies Endpoint;

export const skipSubscription = {
  ...write,
  method: 'POST',
  path: '/subscriptions/{id}/skip',
  summary: 'Skip the next date',
  description: 'During a pause: the first date after it.',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
  data: Subscription,
} as const satisfies Endpoint;

export const listSubscriptionHistory = {
  ...read,
  method: 'GET',
  path: '/subscriptions/{id}/history',
  summary: 'Read what happened to a subscription',
  description: 'From its beginning on.',
  params: IdParams,
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'id', direction: 'asc' },
  data: Type.Array(HistoryEntry),
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const subscriptionEndpoints: readonly Endpoint[] = [
  ...frequencyEndpoints,
  listSubscriptions,
  getCalendar,
  getSubscription,
  getUpcoming,
  listSubscriptionOrders,
  listSubscriptionHistory,
  createSubscription,
  updateSubscription,
  cancelSubscription,
  pauseSubscription,
  resumeSubscription,
  skipSubscription,
];
