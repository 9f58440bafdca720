import type { Db } from '../../../db/pool.ts';
import { AppError } from '../../../errors.ts';
import { dateIn } from '../../../lib/time-zones/time-zones.ts';
import { fromMinor } from '../../money.ts';
import type { Shop } from '../../shop.ts';
import type { Calendar, CalendarQuery } from '../contract.ts';
import * as queries from './queries.ts';

const DAY_MS = 86_400_000;
/** Six weeks, as on a month's page of a calendar. */
const USUAL_DAYS = 42;
const MOST_DAYS = 62;
const MOST_SUBSCRIPTIONS = 20_000;

/** The last day that can be looked at, from today. */
const MOST_AHEAD_DAYS = 2 * 366;

/** Returns the ids of the subscriptions that renew on the day. Throws bad_request. */
export async function listRenewing(db: Db, shop: Shop, now: Date, day: string): Promise<number[]> {
  requireNear('renews_on', day, now);
  return queries.listRenewing(db.lists(shop.companyId), shop.companyId, day, MOST_SUBSCRIPTIONS);
}

/** Returns what subscriptions will order on each day. Throws bad_request. */
export async function getCalendar(db: Db, shop: Shop, now: Date, query: CalendarQuery): Promise<Calendar> {
  const { from = dateIn(shop.timeZone, now) } = query;
  const to = query.to ?? new Date(Date.parse(from) + (USUAL_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1 || days > MOST_DAYS) {
    throw new AppError('bad_request', `to must be between from and ${MOST_DAYS - 1} days after it`);
  }
  requireNear('to', to, now);
  const lane = db.lists(shop.companyId);
  const [listed, overdue] = await Promise.all([
    queries.listDays(lane, shop.companyId, { from, to }, MOST_SUBSCRIPTIONS),
    queries.countOverdue(lane, shop.companyId, MOST_SUBSCRIPTIONS),
  ]);
  const money = (minor: number): number => fromMinor(minor, shop.exponent);
  return {
    from,
    to,
    currency: shop.currency,
    days: listed.days.map(({ date, renewals, quantity, subtotal }) => ({
      date,
      renewals,
      quantity,
      subtotal: money(subtotal),
    })),
    overdue: { renewals: overdue.renewals, subtotal: money(overdue.subtotal) },
    complete: listed.looked < MOST_SUBSCRIPTIONS,
  };
}

/** Renewals are computed one by one up to the day. Throws bad_request. */
function requireNear(name: string, day: string, now: Date): void {
  if (Date.parse(day) - now.getTime() <= MOST_AHEAD_DAYS * DAY_MS) return;
  throw new AppError('bad_request', `${name} must be within two years`);
}
