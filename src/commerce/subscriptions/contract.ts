import type { Static } from 'typebox';
import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { CalendarDate, Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { sortNames } from '../../lib/sorting.ts';
import { Order } from '../orders/contract.ts';
import { frequencyEndpoints } from './frequencies/contract.ts';

const SUBSCRIPTION_STATUSES = ['active', 'paused', 'past_due', 'cancelled', 'expired'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export const Subscription = Type.Object({
  id: Id,
  customer_id: Id,
  product_id: Id,
  frequency_id: Id,
  frequency_name: Type.String(),
  quantity: Type.Integer(),
  price: Type.Number({ description: 'Of one unit, as it was at sign-up' }),
  status: OneOf(SUBSCRIPTION_STATUSES),
  next_billing_date: Nullable(CalendarDate),
  shipping_address: Type.String(),
  shipping_city: Type.String(),
  shipping_state: Type.String(),
  shipping_zip: Type.String(),
  shipping_country: Type.String(),
  resume_on: Nullable(CalendarDate),
  pause_reason: Nullable(Type.String()),
  saved_method_id: Nullable(
    Type.Integer({ description: 'The saved payment method to which its orders are charged before they are placed' }),
  ),
  payment_attempts: Type.Integer({ description: 'Payments for the next date that failed' }),
  cancelled_at: Nullable(Type.String({ format: 'date-time' })),
  cancel_reason: Nullable(Type.String()),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Subscription = Static<typeof Subscription>;

const Quantity = Type.Integer({ minimum: 1, maximum: 9_999 });

const SavedMethodId = Type.Optional(
  Nullable(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'A saved payment method of the customer; null: orders are placed without a payment',
    }),
  ),
);

const shippingFields = {
  shipping_address: Type.Optional(Trimmed({ minLength: 1, maxLength: 500 })),
  shipping_city: Type.Optional(Trimmed({ minLength: 1, maxLength: 200 })),
  shipping_state: Type.Optional(
    Trimmed({ maxLength: 100, description: 'A code by ISO 3166-2 or an English name; kept as the code' }),
  ),
  shipping_zip: Type.Optional(Trimmed({ minLength: 1, maxLength: 20 })),
  shipping_country: Type.Optional(Trimmed({ minLength: 1, maxLength: 100 })),
};

export const SubscriptionInput = Type.Object({
  customer_id: Id,
  product_id: Id,
  frequency_id: Id,
  quantity: Type.Optional(Quantity),
  start_date: Type.Optional(CalendarDate),
  saved_method_id: SavedMethodId,
  ...shippingFields,
});
export type SubscriptionInput = Static<typeof SubscriptionInput>;

/** What a customer may change. */
export const OwnSubscriptionPatch = Type.Object({
  quantity: Type.Optional(Quantity),
  frequency_id: Type.Optional(Id),
  next_billing_date: Type.Optional(CalendarDate),
  saved_method_id: SavedMethodId,
  ...shippingFields,
});

export const SubscriptionPatch = Type.Object({
  product_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Another product, at its present price',
      maximum: Number.MAX_SAFE_INTEGER,
    }),
  ),
  ...OwnSubscriptionPatch.properties,
});
export type SubscriptionPatch = Static<typeof SubscriptionPatch>;

export const SubscriptionQuery = Type.Object({
  customer_id: Type.Optional(Id),
  status: Type.Optional(OneOf(SUBSCRIPTION_STATUSES)),
  renews_on: Type.Optional(
    Type.Unsafe<string>({
      ...CalendarDate,
      description:
        'Subscriptions that will place an order on this day, as `/subscriptions/calendar` counts them; within two years',
    }),
  ),
  sort: Type.Optional(
    OneOf(sortNames('next_renewal'), {
      description:
        'Sort order; default newest first. Subscriptions without a next date come last with `next_renewal_asc` and first with `next_renewal_desc`',
    }),
  ),
  ...pageQuery(25),
});
export type SubscriptionQuery = Static<typeof SubscriptionQuery>;

export const Upcoming = Type.Object({
  subscription_id: Id,
  customer_id: Id,
  scheduled_date: CalendarDate,
  frequency_id: Id,
  frequency_name: Type.String(),
  items: Type.Array(
    Type.Object({
      product_id: Id,
      product_name: Type.String(),
      qty: Type.Integer(),
      price: Type.Number(),
      subtotal: Type.Number(),
    }),
  ),
  subtotal: Type.Number(),
  discount: Type.Number(),
  tax: Type.Number(),
  shipping: Type.Number(),
  total: Type.Number(),
  shipping_address: Type.String(),
  shipping_city: Type.String(),
  shipping_state: Type.String(),
  shipping_zip: Type.String(),
  shipping_country: Type.String(),
  in_stock: Type.Boolean(),
  warnings: Type.Array(Type.String()),
  following_dates: Type.Array(CalendarDate),
});
export type Upcoming = Static<typeof Upcoming>;

export const HistoryEntry = Type.Object({
  id: Id,
  type: Type.String(),
  actor: Type.String(),
  actor_name: Nullable(Type.String({ description: "The person's name" })),
  message: Nullable(Type.String()),
  created_at: Type.String({ format: 'date-time' }),
});
export type HistoryEntry = Static<typeof HistoryEntry>;

export const CalendarQuery = Type.Object({
  from: Type.Optional(CalendarDate),
  to: Type.Optional(CalendarDate),
});
export type CalendarQuery = Static<typeof CalendarQuery>;

export const Calendar = Type.Object({
  from: Type.String({ format: 'date' }),
  to: Type.String({ format: 'date' }),
  currency: Type.String(),
  days: Type.Array(
    Type.Object({
      date: Type.String({ format: 'date' }),
      renewals: Type.Integer(),
      quantity: Type.Integer({ description: 'Pieces of all of them' }),
      subtotal: Type.Number({ description: 'Without shipping, taxes and discounts' }),
    }),
    { description: 'Those on which something is due' },
  ),
  overdue: Type.Object(
    { renewals: Type.Integer(), subtotal: Type.Number() },
    { description: 'Orders that failed for lack of stock and are retried daily' },
  ),
  complete: Type.Boolean({
    description: 'False where more than 20,000 subscriptions are due: the first ones are counted',
  }),
});
export type Calendar = Static<typeof Calendar>;

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
  summary: 'Read the delivery calendar',
  description:
    'The orders that active subscriptions will place, by day: by default the next six weeks, at most 62 days and within two years.',
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
    'Priced like a renewal. 404 `no_upcoming_order` if the subscription is paused or cancelled, or if its order could not be placed for a reason other than stock.',
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
    "Ships to the given address, which must be complete, or to the customer's default address. `start_date` defaults to today in the shop's time zone.",
  body: SubscriptionInput,
  data: Subscription,
  status: 201,
} as const satisfies Endpoint;

export const updateSubscription = {
  ...write,
  method: 'PATCH',
  path: '/subscriptions/{id}',
  summary: 'Change product, quantity, frequency, next date, address or payment method',
  description:
    '422 `payment_in_progress` while its next order is being paid. Another product has its present price from then on. Of the address, fields that are left out stay as they are. Later dates count from a new `next_billing_date`, which must not be in the past. A new frequency applies from the next date on.',
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
  description: 'Dates during the pause are skipped.',
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
  description: '422 `payment_in_progress` while its order is being paid. During a pause: the first date after it.',
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
