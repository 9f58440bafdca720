import { fromMinor } from '../../../commerce/money.ts';
import type { ShopCache } from '../../../commerce/shop.ts';
import type { Db } from '../../../db/pool.ts';
import { invalidField } from '../../../errors.ts';
import { ratesOf } from '../../../messaging/deliverability/rates.ts';
import type { DeliverabilityService } from '../../../messaging/deliverability/service.ts';
import type { MarketingOverview, MarketingQuery } from './contract.ts';
import * as queries from './queries.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** Longest period in days, the same as for sales. */
const LONGEST = 750;
const MOST_ROWS = 10;

/** Fractions of 1. Gmail requires bulk senders to stay below 0.1 % complaints; above 2 % docs/guides/deliverability.md advises a check. */
const TARGETS = { bounce_rate_target: 0.02, complaint_rate_target: 0.001 };

interface MarketingOverviewDeps {
  db: Db;
  shops: ShopCache;
  deliverability: Pick<DeliverabilityService, 'limitsOf'>;
}

export type MarketingOverviewService = ReturnType<typeof createMarketingOverviewService>;

/** The results of marketing, from precomputed totals. */
export function createMarketingOverviewService({ db, shops, deliverability }: MarketingOverviewDeps) {
  return {
    /** @throws AppError validation_failed */
    async readMarketing(companyId: number, query: MarketingQuery, now: Date): Promise<MarketingOverview> {
      const { currency, exponent } = await shops.get(companyId);
      const { interval = 'day' } = query;
      const days = daysOf(query, now);
      const lane = db.lists(companyId);
      const [rows, sources, lists, limits] = await Promise.all([
        queries.totalsByInterval(lane, companyId, days, interval),
        queries.bestSources(lane, companyId, days, MOST_ROWS),
        queries.growthOfLists(lane, companyId, days, MOST_ROWS),
        deliverability.limitsOf(companyId),
      ]);
      const sum = (field: Exclude<keyof queries.IntervalRow, 'start'>): number =>
        rows.reduce((total, row) => total + row[field], 0);
      const money = (minor: number): number => fromMinor(minor, exponent);
      const sold = (orders: number, revenue: number, refunded: number) => {
        return { orders, revenue: money(revenue), refunded: money(refunded), net: money(revenue - refunded) };
      };
      const flows = { orders: sum('flow_orders'), revenue: sum('flow_revenue'), refunded: sum('flow_refunded') };
      const campaigns = {
        orders: sum('campaign_orders'),
        revenue: sum('campaign_revenue'),
        refunded: sum('campaign_refunded'),
      };
      const totals = {
        sent: sum('sent'),
        refused: sum('refused'),
        bounced: sum('bounced'),
        complained: sum('complained'),
      };
      const { sent, complained } = totals;
      return {
        currency,
        ...days,
        interval,
        revenue: {
          total: sold(
            flows.orders + campaigns.orders,
            flows.revenue + campaigns.revenue,
            flows.refunded + campaigns.refunded,
          ),
          flows: sold(flows.orders, flows.revenue, flows.refunded),
          campaigns: sold(campaigns.orders, campaigns.revenue, campaigns.refunded),
          sources: sources.map(({ orders, revenue, refunded, ...source }) => ({
            ...source,
            ...sold(orders, revenue, refunded),
          })),
        },
        growth: { total: { subscribed: sum('subscribed'), unsubscribed: sum('unsubscribed') }, lists },
        deliverability: {
          total: {
            sent,
            bounced: totals.bounced + totals.refused,
            complained,
            ...ratesOf(totals),
          },
          limits: { bounce_rate: limits.bounce_rate, complaint_rate: limits.complaint_rate, ...TARGETS },
        },
        intervals: rows.map((row) => ({
          start: row.start,
          flow_revenue: money(row.flow_revenue),
          flow_net: money(row.flow_revenue - row.flow_refunded),
          campaign_revenue: money(row.campaign_revenue),
          campaign_net: money(row.campaign_revenue - row.campaign_refunded),
          subscribed: row.subscribed,
          unsubscribed: row.unsubscribed,
          sent: row.sent,
          bounced: row.bounced + row.refused,
          complained: row.complained,
        })),
      };
    },
  };
}

function daysOf(query: MarketingQuery, now: Date): queries.Days {
  const to = query.to ?? now.toISOString().slice(0, 10);
  const from = query.from ?? new Date(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw invalidField('to', 'to must not be before from');
  if (days > LONGEST) throw invalidField('from', `The period must not be longer than ${LONGEST} days`);
  return { from, to };
}
