import type { ShopCache } from '../../commerce/shop.ts';
import type { Db } from '../../db/pool.ts';
import { invalidField } from '../../errors.ts';
import { dateIn } from '../../lib/time-zones/time-zones.ts';
import type { ListsService } from '../lists/service.ts';
import {
  type GrowthQuery,
  type ListGrowth,
  LONGEST,
  type Providers,
  type ProvidersQuery,
  type Revenue,
  type RevenueQuery,
} from './contract.ts';
import { growthByDay } from './growth.ts';
import * as queries from './queries.ts';
import { revenueReport } from './revenue.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** Flows or campaigns that a report names. */
const MOST_SOURCES = 10;

export interface ReportsDeps {
  db: Db;
  shops: ShopCache;
  lists: Pick<ListsService, 'getList'>;
}

export type ReportsService = ReturnType<typeof createReportsService>;

/** The reports on what marketing led to. */
export function createReportsService({ db, shops, lists }: ReportsDeps) {
  return {
    /** @throws AppError not_found, validation_failed */
    async readListGrowth(companyId: number, query: GrowthQuery, now: Date): Promise<ListGrowth> {
      const { list_id = null } = query;
      const today = now.toISOString().slice(0, 10);
      const { from, to } = periodOf(query, today);
      if (list_id !== null) await lists.getList(companyId, list_id);
      const days = growthByDay(await queries.findGrowth(db.lists(companyId), companyId, list_id, from), {
        from,
        to,
        today,
      });
      const sum = (field: 'subscribed' | 'unsubscribed') => days.reduce((n, day) => n + day[field], 0);
      const total = { subscribed: sum('subscribed'), unsubscribed: sum('unsubscribed') };
      return { list_id, from, to, total, days };
    },

    /** @throws AppError validation_failed */
    async readRevenue(companyId: number, query: RevenueQuery, now: Date): Promise<Revenue> {
      const { currency, exponent, timeZone } = await shops.get(companyId);
      const { by = 'campaign', interval = 'day' } = query;
      const { from, to } = periodOf(query, dateIn(timeZone, now));
      const period = { by, interval, from, to, timeZone };
      const rows = await queries.findRevenue(db.lists(companyId), companyId, period, MOST_SOURCES);
      return { by, currency, time_zone: timeZone, interval, from, to, ...revenueReport(rows, period, exponent) };
    },

    async readProviders(companyId: number, query: ProvidersQuery, now: Date): Promise<Providers> {
      const days = Number(query.days ?? DEFAULT_DAYS);
      const since = new Date(now.getTime() - days * DAY_MS);
      const lane = db.lists(companyId);
      const first = await queries.findFirstSent(lane, companyId, since);
      const rows = first === null ? [] : await queries.findProviders(lane, companyId, since, first);
      const sum = (field: Exclude<keyof queries.ProviderRow, 'provider'>) => rows.reduce((n, row) => n + row[field], 0);
      const [sent, bounced] = [sum('sent'), sum('bounced')];
      const total = { opened: sum('opened'), clicked: sum('clicked'), complained: sum('complained') };
      return {
        days,
        total: { sent, delivered: sent - bounced, bounced, ...total },
        providers: rows.map((row) => ({ ...row, delivered: row.sent - row.bounced })),
      };
    },
  };
}

/** The days that were asked for, up to today. @throws AppError validation_failed */
function periodOf(query: { from?: string; to?: string }, today: string): { from: string; to: string } {
  const to = query.to === undefined || query.to > today ? today : query.to;
  const from = query.from ?? new Date(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw invalidField('from', 'from must not be after to, or after today');
  if (days > LONGEST) throw invalidField('from', `The period must not be longer than ${LONGEST} days`);
  return { from, to };
}
