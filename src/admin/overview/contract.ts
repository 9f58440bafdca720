import Type, { type Static } from 'typebox';
import { INTERVALS } from '../../commerce/sales/service.ts';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { CalendarDate, Id, Nullable, OneOf } from '../../lib/schemas.ts';
import { readMarketingOverview } from './marketing/contract.ts';

const figures = {
  orders: Type.Integer({ description: 'Placed, the cancelled ones among them' }),
  cancelled: Type.Integer(),
  revenue: Type.Number({ description: 'Without cancelled orders' }),
  refunded: Type.Number({
    description:
      'Refunds and chargebacks of these orders, without what was paid too much; also counts on the day of the order',
  }),
  net: Type.Number({ description: '`revenue` − `refunded`' }),
  average: Type.Number({ description: 'Of an order that is not cancelled' }),
  returning: Type.Number({ description: 'Of the orders those of customers who had ordered before, from 0 to 1' }),
};

const SalesOfPeriod = Type.Object({
  from: CalendarDate,
  to: CalendarDate,
  total: Type.Object(figures),
  intervals: Type.Array(Type.Object({ start: CalendarDate, ...figures })),
});

export const SalesOverview = Type.Object({
  currency: Type.String(),
  time_zone: Type.String(),
  interval: OneOf(INTERVALS),
  period: SalesOfPeriod,
  compared: Nullable(SalesOfPeriod),
});
export type SalesOverview = Static<typeof SalesOverview>;

export const COMPARISONS = ['previous', 'week', 'year', 'none'] as const;

const period = { from: Type.Optional(CalendarDate), to: Type.Optional(CalendarDate) };

const SalesQuery = Type.Object({
  ...period,
  interval: Type.Optional(OneOf(INTERVALS)),
  compare: Type.Optional(
    OneOf(COMPARISONS, {
      description: 'With as many days before (the default), with the same days a week or a year ago, or not',
    }),
  ),
});
export type SalesQuery = Static<typeof SalesQuery>;

const CartsQuery = Type.Object(period);
export type CartsQuery = Static<typeof CartsQuery>;

export const CartsOverview = Type.Object({
  from: CalendarDate,
  to: CalendarDate,
  begun: Type.Integer({ description: 'Carts that have had a product' }),
  with_address: Type.Integer({ description: 'Those with a customer or an e-mail address' }),
  placed: Type.Integer({ description: 'Those from which an order was placed' }),
});
export type CartsOverview = Static<typeof CartsOverview>;

const SoldProduct = Type.Object({
  product_id: Id,
  name: Type.String(),
  qty: Type.Integer(),
  revenue: Type.Number(),
  stock_qty: Type.Integer(),
  days_left: Type.Integer({ description: 'Days until the stock is sold out at the current rate' }),
});

const ProductsQuery = Type.Object({
  by: Type.Optional(
    OneOf(['product', 'variant'], { description: 'Best sellers by product, the default, or by variant' }),
  ),
});
export type ProductsQuery = Static<typeof ProductsQuery>;

export const ProductsOverview = Type.Object({
  currency: Type.String(),
  best_sellers: Type.Array(SoldProduct),
  running_out: Type.Array(SoldProduct),
});
export type ProductsOverview = Static<typeof ProductsOverview>;

export const ATTENTION = [
  'marketing_paused',
  'near_limits',
  'orders_waiting',
  'orders_unpaid',
  'orders_to_pay_back',
  'payments_to_check',
  'subscriptions_past_due',
  'messages_held',
  'messages_unknown',
  'deliveries_failed',
  'events_refused',
] as const;

export const Attention = Type.Object({
  kind: OneOf(ATTENTION),
  count: Type.Integer({ description: 'At most 1,000 are counted' }),
  hint: Nullable(Type.String({ description: 'The missing setting' })),
});
export type Attention = Static<typeof Attention>;

const tag = 'Overview';

export const readSalesOverview = {
  method: 'GET',
  path: '/overview/sales',
  scope: 'orders:read',
  tag,
  summary: 'Read sales',
  description:
    "By day, week or month in the shop's time zone; by default the last 30 days. An order counts on the day on which it was placed.",
  query: SalesQuery,
  data: SalesOverview,
  status: 200,
} as const satisfies Endpoint;

export const readProductsOverview = {
  method: 'GET',
  path: '/overview/products',
  scope: 'products:read',
  tag,
  summary: 'Read what sells and what runs out',
  description:
    'Based on the orders of the last 30 days, at most the latest 5,000. Products and variants with stock for at most 14 days are listed as running out.',
  query: ProductsQuery,
  data: ProductsOverview,
  status: 200,
} as const satisfies Endpoint;

export const readCartsOverview = {
  method: 'GET',
  path: '/overview/carts',
  scope: 'carts:read',
  tag,
  summary: 'Read how many carts become orders',
  description:
    "The carts that were begun in the period, by default the last 30 days of the shop's time zone, and how far they have come since. Renewals and carts that were merged into another do not count. Carts are deleted 90 days after their last change (`carts_days` of the retention settings).",
  query: CartsQuery,
  data: CartsOverview,
  status: 200,
} as const satisfies Endpoint;

export const listAttention = {
  method: 'GET',
  path: '/overview/attention',
  scope: 'orders:read',
  tag,
  summary: 'List what needs attention',
  description: 'Only kinds of which there is something, and that the role may see.',
  data: Type.Array(Attention),
  status: 200,
} as const satisfies Endpoint;

export const overviewEndpoints: readonly Endpoint[] = [
  readSalesOverview,
  readProductsOverview,
  readCartsOverview,
  readMarketingOverview,
  listAttention,
];
