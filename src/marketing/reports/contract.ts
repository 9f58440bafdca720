import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { CalendarDate, Id, Nullable, OneOf } from '../../lib/schemas.ts';
import { PROVIDERS } from './providers.ts';

const tag = 'Reports';

/** The longest period of a report in days. */
export const LONGEST = 366;

const period = { from: Type.Optional(CalendarDate), to: Type.Optional(CalendarDate) };

const changes = {
  subscribed: Type.Integer({ description: 'Joined, or came back' }),
  unsubscribed: Type.Integer(),
};

export const ListGrowth = Type.Object({
  list_id: Nullable(Id),
  from: CalendarDate,
  to: CalendarDate,
  total: Type.Object(changes),
  days: Type.Array(
    Type.Object({
      date: CalendarDate,
      ...changes,
      active: Type.Integer({
        description:
          'At the end of the day: members of the list, or subscribed contacts. Fewer, too, where members were removed, erased or merged, or addresses bounced. For days before the upgrade that brought this report, the number on the day of the upgrade',
      }),
    }),
  ),
});
export type ListGrowth = Static<typeof ListGrowth>;

const GrowthQuery = Type.Object({ ...period, list_id: Type.Optional(Id) });
export type GrowthQuery = Static<typeof GrowthQuery>;

export const readListGrowth = {
  method: 'GET',
  path: '/reports/list-growth',
  scope: 'marketing:read',
  tag,
  summary: 'Read how a list grew',
  description: `By day in UTC, as in the report of a campaign: of one list, or without \`list_id\` of all contacts. By default the last 30 days, at most ${LONGEST}; later days than today are left out.`,
  query: GrowthQuery,
  data: ListGrowth,
  status: 200,
} as const satisfies Endpoint;

export const SOURCES = ['flow', 'campaign'] as const;
export const REVENUE_INTERVALS = ['day', 'week'] as const;

const sold = {
  orders: Type.Integer({ description: 'After a click, else an open, within the attribution period' }),
  revenue: Type.Number({ description: "Of these orders, in the shop's currency" }),
  refunded: Type.Number({ description: 'Of these orders, refunds and chargebacks without what was paid too much' }),
  net: Type.Number({ description: '`revenue` − `refunded`' }),
};
const Interval = Type.Object({
  start: Type.String({
    format: 'date',
    description: 'YYYY-MM-DD; a week begins on Monday, the first one perhaps before `from`',
  }),
  ...sold,
});

export const Revenue = Type.Object({
  by: OneOf(SOURCES),
  currency: Type.String(),
  time_zone: Type.String(),
  interval: OneOf(REVENUE_INTERVALS),
  from: CalendarDate,
  to: CalendarDate,
  total: Type.Object(sold),
  intervals: Type.Array(Interval, { description: 'All of the period' }),
  sources: Type.Array(
    Type.Object({
      id: Nullable(Id),
      name: Nullable(Type.String({ description: 'null where it was deleted' })),
      ...sold,
      intervals: Type.Array(Interval, { description: 'Those with an order' }),
    }),
    { description: 'The ten with the most net revenue in order, then, with the id null, all others together' },
  ),
});
export type Revenue = Static<typeof Revenue>;

const RevenueQuery = Type.Object({
  by: Type.Optional(OneOf(SOURCES, { description: '`campaign` by default' })),
  ...period,
  interval: Type.Optional(OneOf(REVENUE_INTERVALS, { description: '`day` by default' })),
});
export type RevenueQuery = Static<typeof RevenueQuery>;

export const readRevenue = {
  method: 'GET',
  path: '/reports/revenue',
  scope: 'marketing:read',
  tag,
  summary: 'Read the revenue of flows or campaigns over time',
  description: `By day or week in the shop's time zone, by default the last 30 days, at most ${LONGEST}. An order counts at the time at which it was attributed to a message, and what was given back of it at the same time. Messages that were removed for their age are not counted any more.`,
  query: RevenueQuery,
  data: Revenue,
  status: 200,
} as const satisfies Endpoint;

export const PROVIDER_DAYS = ['7', '30', '90'] as const;

const fate = {
  sent: Type.Integer({ description: 'E-mails of all kinds that were handed over' }),
  delivered: Type.Integer({ description: '`sent` − `bounced`' }),
  opened: Type.Integer({ description: 'By recipients, as far as it shows' }),
  clicked: Type.Integer(),
  bounced: Type.Integer({ description: 'Returned after the hand-over' }),
  complained: Type.Integer({ description: 'Reported as spam by their recipients' }),
};

export const Providers = Type.Object({
  days: Type.Integer(),
  total: Type.Object(fate),
  providers: Type.Array(
    Type.Object({
      provider: OneOf(PROVIDERS, {
        description:
          'outlook: with Hotmail and Live; yahoo: with AOL; gmx: with WEB.DE; other: every other domain, and recipients who were erased',
      }),
      ...fate,
    }),
    { description: 'Those with an e-mail, the one with the most first' },
  ),
});
export type Providers = Static<typeof Providers>;

const ProvidersQuery = Type.Object({
  days: Type.Optional(OneOf(PROVIDER_DAYS, { description: '30 by default' })),
});
export type ProvidersQuery = Static<typeof ProvidersQuery>;

export const readProviders = {
  method: 'GET',
  path: '/reports/providers',
  scope: 'marketing:read',
  tag,
  summary: 'Read deliverability by mailbox provider',
  description:
    'What became of the e-mails that were handed over in the last 7, 30 or 90 days, by the domain of the recipient. E-mails that were refused at the hand-over are not in it.',
  query: ProvidersQuery,
  data: Providers,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const reportEndpoints: readonly Endpoint[] = [readListGrowth, readRevenue, readProviders];
