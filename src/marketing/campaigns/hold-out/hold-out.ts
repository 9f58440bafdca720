import { fromMinor } from '../../../commerce/money.ts';
import type { Queryable } from '../../../db/pool.ts';
import { formatTimestamp } from '../../../lib/timestamps.ts';
import type { CampaignRow } from '../queries.ts';
import { ZONES_HOURS } from '../time-zones/local-time.ts';
import { type Group, liftOf, verdictOf } from './comparison.ts';
import type { HoldOut } from './contract.ts';
import { findOrders } from './order-queries.ts';

/** Extra decimals for revenue per recipient, beyond those of the currency. */
const MORE_DECIMALS = 2;

/** Compares the groups of a campaign; null if nobody is held out, or until all recipients are drawn. */
export async function compareGroups(
  db: Queryable,
  companyId: number,
  campaign: CampaignRow,
  { exponent, days }: { exponent: number; days: number },
): Promise<HoldOut | null> {
  const { id, holdout_percent, held_out, recipients, started_at, first_zone_at } = campaign;
  if (holdout_percent === 0 || held_out === null || recipients === null || started_at === null) return null;
  const counts = await findOrders(db, companyId, id);
  const groupOf = (name: string, of: number): Group => ({
    recipients: of,
    orders: counts.get(`orders:${name}`) ?? 0,
    revenue: counts.get(`revenue:${name}`) ?? 0,
  });
  const [messaged, held] = [groupOf('messaged', recipients), groupOf('held_out', held_out)];
  const hours = days * 24 + (first_zone_at === null ? 0 : ZONES_HOURS);
  return {
    percent: holdout_percent,
    window_ends_at: formatTimestamp(new Date(started_at.getTime() + hours * 3_600_000)),
    messaged: recordOf(messaged, exponent),
    held_out: recordOf(held, exponent),
    orders_lift: liftOf(messaged, held, 'orders'),
    revenue_lift: liftOf(messaged, held, 'revenue'),
    verdict: verdictOf(messaged, held),
  };
}

function recordOf({ recipients, orders, revenue }: Group, exponent: number): HoldOut['messaged'] {
  const money = fromMinor(revenue, exponent);
  const each = (sum: number): number => {
    const factor = 10 ** (exponent + MORE_DECIMALS);
    return recipients === 0 ? 0 : Math.round((sum / recipients) * factor) / factor;
  };
  return {
    recipients,
    orders,
    revenue: money,
    orders_per_recipient: recipients === 0 ? 0 : Math.round((orders / recipients) * 1e6) / 1e6,
    revenue_per_recipient: each(money),
  };
}
