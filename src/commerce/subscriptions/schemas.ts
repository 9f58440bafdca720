import Type, { type Static } from 'typebox';
import { CalendarDate, Id, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { sortNames } from '../../lib/sorting.ts';

export const SUBSCRIPTION_STATUSES = ['active', 'paused', 'past_due', 'cancelled', 'expired'] as const;
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
  cancelled_at: Nullable(Type.String({ format: 'date-time' })),
  cancel_reason: Nullable(Type.String()),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Subscription = Static<typeof Subscription>;

const Quantity = Type.Integer({ minimum: 1, maximum: 9_999 });

export const SubscriptionInput = Type.Object({
  customer_id: Id,
  product_id: Id,
  frequency_id: Id,
  quantity: Type.Optional(Quantity),
  start_date: Type.Optional(CalendarDate),
  shipping_address: Type.Optional(Trimmed({ minLength: 1, maxLength: 500 })),
  shipping_city: Type.Optional(Trimmed({ minLength: 1, maxLength: 200 })),
  shipping_state: Type.Optional(
    Trimmed({ maxLength: 100, description: 'A code by ISO 3166-2 or an English name; kept as the code' }),
  ),
  shipping_zip: Type.Optional(Trimmed({ minLength: 1, maxLength: 20 })),
  shipping_country: Type.Optional(Trimmed({ minLength: 1, maxLength: 100 })),
});
export type SubscriptionInput = Static<typeof SubscriptionInput>;

export const SubscriptionPatch = Type.Object({
  quantity: Type.Optional(Quantity),
  frequency_id: Type.Optional(Id),
  next_billing_date: Type.Optional(CalendarDate),
});
export type SubscriptionPatch = Static<typeof SubscriptionPatch>;

export const SubscriptionQuery = Type.Object({
  customer_id: Type.Optional(Id),
  status: Type.Optional(OneOf(SUBSCRIPTION_STATUSES)),
  sort: Type.Optional(
    OneOf(sortNames('next_renewal'), {
      description:
        'The order; newest first where absent. Those without a next date stand last by `next_renewal_asc`, first by `next_renewal_desc`',
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
