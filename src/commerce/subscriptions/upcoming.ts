import type { Caller } from '../../caller.ts';
import type { Queryable } from '../../db/pool.ts';
import { AppError, found } from '../../errors.ts';
import { dateIn } from '../../lib/time-zones/time-zones.ts';
import { fromMinor } from '../money.ts';
import type { Quote } from '../orders/placing/check.ts';
import { quoteWithoutStock } from '../orders/quote.ts';
import type { Shop } from '../shop.ts';
import { datesOver } from './changes.ts';
import type { Upcoming } from './contract.ts';
import * as queries from './queries.ts';
import { orderRequest, scheduleOf } from './record.ts';
import { dateAfterCycle } from './renewal/plan.ts';
import { following } from './schedule.ts';

/**
 * Returns the next order as it would be placed now. Throws not_found, and no_upcoming_order if the subscription is paused or has ended, or
 * if its renewal would pause it.
 */
export async function getUpcoming(db: Queryable, shop: Shop, caller: Caller, id: number): Promise<Upcoming> {
  const row = found(await queries.findSubscription(db, shop.companyId, id), 'subscription');
  const date = row.next_billing_date;
  const none = new AppError('no_upcoming_order', 'This subscription has no upcoming order');
  if (date === null || (row.status !== 'active' && row.status !== 'past_due')) throw none;
  const { quote, inStock } = await quoteWithoutStock(db, shop, orderRequest(row, caller.actor, caller.now)).catch(
    (error: unknown) => {
      // The renewal would pause the subscription for the same reason.
      if (error instanceof AppError) throw none;
      throw error;
    },
  );
  const schedule = scheduleOf(row);
  const over = await datesOver(db, shop, id, date);
  const next = dateAfterCycle({ schedule, cycleDate: date, over }, dateIn(shop.timeZone, caller.now));
  return upcomingRecord(row, date, { quote, inStock }, [next, ...following(schedule, next, 2, over)], shop);
}

/** Returns the preview of the order of `date`. */
function upcomingRecord(
  row: queries.SubscriptionRow,
  date: string,
  { quote, inStock }: { quote: Quote; inStock: boolean },
  followingDates: string[],
  shop: Shop,
): Upcoming {
  const money = (minor: number): number => fromMinor(minor, shop.exponent);
  const { priced } = quote;
  return {
    subscription_id: row.id,
    customer_id: row.customer_id,
    scheduled_date: date,
    frequency_id: row.frequency_id,
    frequency_name: row.frequency_name,
    items: priced.lines.map((line) => ({
      product_id: line.product_id,
      product_name: line.product_name,
      qty: line.qty,
      price: money(line.price),
      subtotal: money(line.subtotal),
    })),
    subtotal: money(priced.subtotal),
    discount: money(priced.discount),
    tax: money(priced.tax),
    shipping: money(priced.shipping),
    total: money(priced.total),
    shipping_address: row.shipping_address,
    shipping_city: row.shipping_city,
    shipping_state: row.shipping_state,
    shipping_zip: row.shipping_zip,
    shipping_country: row.shipping_country,
    in_stock: inStock,
    warnings: [
      ...(inStock ? [] : ['insufficient_stock']),
      ...(row.status === 'past_due' ? [`retried after ${row.attempts + row.payment_attempts} failed attempts`] : []),
    ],
    following_dates: followingDates,
  };
}
