import Type, { type Static } from 'typebox';
import { INTERVALS } from '../../../commerce/sales/service.ts';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { CalendarDate, Id, Nullable, OneOf } from '../../../lib/schemas.ts';

export const SOURCES = ['flow', 'campaign'] as const;

const sold = {
  orders: Type.Integer({ description: 'After a click, else an open, within the attribution period' }),
  revenue: Type.Number({ description: "Of these orders, in the shop's currency" }),
  refunded: Type.Number({ description: 'Of these orders, refunds and chargebacks without what was paid too much' }),
  net: Type.Number({ description: '`revenue` − `refunded`' }),
};
const grown = {
  subscribed: Type.Integer(),
  unsubscribed: Type.Integer(),
};
const arrived = {
  sent: Type.Integer({ description: 'Handed over to the mail server' }),
  bounced: Type.Integer({ description: 'Refused at the hand-over, or returned afterwards' }),
  complained: Type.Integer({ description: 'Reported as spam by their recipients' }),
};
const Share = Type.Number({ description: 'From 0 to 1' });

export const MarketingOverview = Type.Object({
  currency: Type.String(),
  from: CalendarDate,
  to: CalendarDate,
  interval: OneOf(INTERVALS),
  revenue: Type.Object({
    total: Type.Object(sold),
    flows: Type.Object(sold),
    campaigns: Type.Object(sold),
    sources: Type.Array(
      Type.Object({
        type: OneOf(SOURCES),
        id: Id,
        name: Nullable(Type.String({ description: 'null where it was deleted' })),
        ...sold,
      }),
      { description: 'The ten flows and campaigns with the most revenue' },
    ),
  }),
  growth: Type.Object({
    total: Type.Object(grown, { description: 'Contacts, whatever lists they are on' }),
    lists: Type.Array(Type.Object({ list_id: Id, name: Type.String(), ...grown }), {
      description: 'The ten lists with the most changes',
    }),
  }),
  deliverability: Type.Object(
    {
      total: Type.Object({
        ...arrived,
        bounce_rate: Share,
        complaint_rate: Share,
      }),
      limits: Type.Object({
        bounce_rate: Type.Number({ description: 'Mail services review senders who reach it' }),
        bounce_rate_target: Type.Number({ description: 'A list is worth a look from here on' }),
        complaint_rate: Type.Number({ description: 'The limit of Gmail and Yahoo' }),
        complaint_rate_target: Type.Number({ description: 'What Gmail advises to stay below' }),
      }),
    },
    { description: 'Of e-mails' },
  ),
  intervals: Type.Array(
    Type.Object({
      start: CalendarDate,
      flow_revenue: Type.Number(),
      flow_net: Type.Number({ description: 'Less what was given back of these orders' }),
      campaign_revenue: Type.Number(),
      campaign_net: Type.Number(),
      ...grown,
      ...arrived,
    }),
  ),
});
export type MarketingOverview = Static<typeof MarketingOverview>;

export const MarketingQuery = Type.Object({
  from: Type.Optional(CalendarDate),
  to: Type.Optional(CalendarDate),
  interval: Type.Optional(OneOf(INTERVALS)),
});
export type MarketingQuery = Static<typeof MarketingQuery>;

export const readMarketingOverview = {
  method: 'GET',
  path: '/overview/marketing',
  scope: 'marketing:read',
  tag: 'Overview',
  summary: 'Read what marketing led to',
  description:
    'Revenue of flows and campaigns, growth and deliverability by day, week or month in UTC, as in the report of a campaign; the last 30 days where nothing else is asked for, at most 750. An order counts on the day on which it was attributed to a message, and is not taken off when it is cancelled.',
  query: MarketingQuery,
  data: MarketingOverview,
  status: 200,
} as const satisfies Endpoint;
