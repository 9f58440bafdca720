import { fromMinor } from '../../../commerce/money.ts';
import type { ShopCache } from '../../../commerce/shop.ts';
import { isStillCounting } from '../../../db/counting/count-jobs.ts';
import type { Db } from '../../../db/pool.ts';
import { invalidField } from '../../../errors.ts';
import type { MarketingOverview, MarketingQuery } from './contract.ts';
import * as queries from './queries.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** The longest period, in days: that of what was sold. */
const LONGEST = 750;
const MOST_ROWS = 10;
const COUNTED = ['messages', 'message_activity', 'contacts', 'list_memberships'] as const;

/**
 * Shares of 1. Gmail asks bulk senders to stay below 0.1 % complaints and never to reach 0.3 %, as Yahoo does; Amazon SES reviews a sender
 * at 5 % bounces. 2 % is what docs/guides/deliverability.md calls for a look.
 */
const LIMITS = { bounce_rate: 0.05, bounce_rate_target: 0.02, complaint_rate: 0.003, complaint_rate_target: 0.001 };

export type MarketingOverviewService = ReturnType<typeof createMarketingOverviewService>;

/** What marketing led to, from kept totals. */
export function createMarketingOverviewService({ db, shops }: { db: Db; shops: ShopCache }) {
  return {
    /** @throws AppError validation_failed */
    async readMarketing(companyId: number, query: MarketingQuery, now: Date): Promise<MarketingOverview> {
      const { currency, exponent } = await shops.get(companyId);
      const { interval = 'day' } = query;
      const days = daysOf(query, now);
      const lane = db.lists(companyId);
      const [counting, rows, sources, lists] = await Promise.all([
        isStillCounting(lane, ...COUNTED),
        queries.totalsByInterval(lane, companyId, days, interval),
        queries.bestSources(lane, companyId, days, MOST_ROWS),
        queries.growthOfLists(lane, companyId, days, MOST_ROWS),
      ]);
      const sum = (field: Exclude<keyof queries.IntervalRow, 'start'>): number =>
        rows.reduce((total, row) => total + row[field], 0);
      const money = (minor: number): number => fromMinor(minor, exponent);
      const flows = { orders: sum('flow_orders'), revenue: sum('flow_revenue') };
      const campaigns = { orders: sum('campaign_orders'), revenue: sum('campaign_revenue') };
      const [sent, returned, refused] = [sum('sent'), sum('bounced'), sum('refused')];
      const complained = sum('complained');
      return {
        ...{ currency, ...days, interval, complete: !counting },
        revenue: {
          total: { orders: flows.orders + campaigns.orders, revenue: money(flows.revenue + campaigns.revenue) },
          flows: { orders: flows.orders, revenue: money(flows.revenue) },
          campaigns: { orders: campaigns.orders, revenue: money(campaigns.revenue) },
          sources: sources.map((source) => ({ ...source, revenue: money(source.revenue) })),
        },
        growth: { total: { subscribed: sum('subscribed'), unsubscribed: sum('unsubscribed') }, lists },
        deliverability: {
          total: {
            ...{ sent, bounced: returned + refused, complained },
            // What the server refused at the hand-over was not sent, but tried.
            bounce_rate: share(returned + refused, sent + refused),
            complaint_rate: share(complained, sent - returned),
          },
          limits: LIMITS,
        },
        intervals: rows.map((row) => ({
          start: row.start,
          flow_revenue: money(row.flow_revenue),
          campaign_revenue: money(row.campaign_revenue),
          ...{ subscribed: row.subscribed, unsubscribed: row.unsubscribed },
          ...{ sent: row.sent, bounced: row.bounced + row.refused, complained: row.complained },
        })),
      };
    },
  };
}

/** A bounce or complaint may come days after the message, in a period in which little was sent: at most all of it. */
function share(part: number, whole: number): number {
  return part === 0 ? 0 : Math.min(1, part / Math.max(1, whole));
}

function daysOf(query: MarketingQuery, now: Date): queries.Days {
  const to = query.to ?? now.toISOString().slice(0, 10);
  const from = query.from ?? new Date(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw invalidField('to', 'to must not be before from');
  if (days > LONGEST) throw invalidField('from', `The period must not be longer than ${LONGEST} days`);
  return { from, to };
}
