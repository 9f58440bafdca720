import { grants, type Scope } from '../../access/scopes.ts';
import type { AdminSessions, Session } from '../../access/sessions.ts';
import type { Caller } from '../../caller.ts';
import { countConversion } from '../../commerce/carts/conversion.ts';
import { requirePeriod, type SalesService, type SoldProduct, soonSoldOut } from '../../commerce/sales/service.ts';
import type { ShopCache } from '../../commerce/shop.ts';
import type { Db } from '../../db/pool.ts';
import type { DeliverabilityService } from '../../messaging/deliverability/service.ts';
import { countHeldMessages } from '../../messaging/send/holds.ts';
import {
  ATTENTION,
  type Attention,
  type CartsOverview,
  type CartsQuery,
  type ProductsOverview,
  type ProductsQuery,
  type SalesOverview,
  type SalesQuery,
} from './contract.ts';
import * as queries from './queries.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MOST_COUNTED = 1_000;
const MOST_PRODUCTS = 5;
/** An authorization that lasts no longer than this is soon lost. */
const ENDS_SOON_DAYS = 3;

/** The scope that a role needs to see each kind. */
const SCOPE_OF: Record<Attention['kind'], Scope> = {
  orders_waiting: 'orders:read',
  orders_unpaid: 'payments:read',
  orders_to_pay_back: 'payments:read',
  payments_to_check: 'payments:read',
  subscriptions_past_due: 'subscriptions:read',
  marketing_paused: 'marketing:read',
  near_limits: 'marketing:read',
  messages_held: 'marketing:read',
  messages_unknown: 'marketing:read',
  deliveries_failed: 'marketing:read',
  events_refused: 'marketing:read',
};

interface OverviewDeps {
  db: Db;
  shops: ShopCache;
  sales: SalesService;
  sessions: Pick<AdminSessions, 'standingIn'>;
  deliverability: Pick<DeliverabilityService, 'read'>;
}

export type OverviewService = ReturnType<typeof createOverviewService>;

/** The data of the admin app's first page. */
export function createOverviewService({ db, shops, sales, sessions, deliverability }: OverviewDeps) {
  return {
    async readSales(companyId: number, query: SalesQuery, now: Date): Promise<SalesOverview> {
      const { currency, timeZone } = await shops.get(companyId);
      const { interval = 'day', compare = 'previous' } = query;
      const period = periodOf(query, timeZone, now);
      const other = comparedWith(period, compare);
      const [shown, compared] = await Promise.all([
        sales.salesOf(companyId, period, interval),
        other === null ? null : sales.salesOf(companyId, other, interval),
      ]);
      return { currency, time_zone: timeZone, interval, period: shown, compared };
    },

    async readCarts(companyId: number, query: CartsQuery, now: Date): Promise<CartsOverview> {
      const { timeZone } = await shops.get(companyId);
      const { from, to } = periodOf(query, timeZone, now);
      requirePeriod({ from, to });
      const { begun, with_address, placed } = await countConversion(db.lists(companyId), companyId, {
        from,
        to,
        timeZone,
      });
      return { from, to, begun, with_address, placed };
    },

    async readProducts(companyId: number, { by = 'product' }: ProductsQuery, now: Date): Promise<ProductsOverview> {
      const { currency } = await shops.get(companyId);
      const sold = await sales.soldProducts(companyId, now);
      const best = sold.filter(({ kind }) => kind !== (by === 'variant' ? 'parent' : 'variant'));
      const shown = (products: SoldProduct[]) => products.slice(0, MOST_PRODUCTS).map(({ kind: _, ...shown }) => shown);
      return { currency, best_sellers: shown(best), running_out: shown(soonSoldOut(sold)) };
    },

    async listAttention({ companyId, now }: Caller, session: Session | null): Promise<Attention[]> {
      if (session === null) return [];
      const { scopes } = sessions.standingIn(session, companyId);
      const waitingSince = new Date(now.getTime() - DAY_MS);
      const endsBefore = new Date(now.getTime() + ENDS_SOON_DAYS * DAY_MS);
      const lane = db.lists(companyId);
      const [counts, held, { state }] = await Promise.all([
        queries.countAttention(lane, companyId, { waitingSince, endsBefore, atMost: MOST_COUNTED }),
        countHeldMessages(lane, { companyId, atMost: MOST_COUNTED }),
        deliverability.read(companyId, now),
      ]);
      const messagesHeld = held.reduce((sum, { n }) => sum + n, 0);
      const all: Record<string, number> = {
        ...counts,
        messages_held: Math.min(messagesHeld, MOST_COUNTED),
        marketing_paused: state === 'paused' ? 1 : 0,
        near_limits: state === 'warning' ? 1 : 0,
      };
      const hint = held.map(({ setting }) => `${setting.sentence}.`).join(' ');
      return ATTENTION.filter((kind) => grants(scopes, SCOPE_OF[kind]))
        .map((kind) => ({
          kind,
          count: all[kind]!,
          hint: kind === 'messages_held' ? hint : null,
        }))
        .filter(({ count }) => count > 0);
    },
  };
}

function comparedWith({ from, to }: { from: string; to: string }, compare: SalesQuery['compare']) {
  if (compare === 'none') return null;
  if (compare === 'week') return { from: daysAfter(from, -7), to: daysAfter(to, -7) };
  if (compare === 'year') return { from: yearBefore(from), to: yearBefore(to) };
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return { from: daysAfter(from, -days), to: daysAfter(from, -1) };
}

/** Returns the current day in the time zone, YYYY-MM-DD. */
function dayIn(timeZone: string, now: Date): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now);
}

function periodOf({ from, to }: CartsQuery, timeZone: string, now: Date): { from: string; to: string } {
  const last = to ?? dayIn(timeZone, now);
  return { from: from ?? daysAfter(last, 1 - DEFAULT_DAYS), to: last };
}

function daysAfter(day: string, n: number): string {
  return new Date(Date.parse(day) + n * DAY_MS).toISOString().slice(0, 10);
}

/** Returns 28 February for 29 February. */
function yearBefore(day: string): string {
  const year = String(Number(day.slice(0, 4)) - 1).padStart(4, '0');
  return `${year}${day.slice(4) === '-02-29' ? '-02-28' : day.slice(4)}`;
}
