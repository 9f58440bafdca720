import type { Db } from '../../db/pool.ts';
import { invalidField } from '../../errors.ts';
import { fromMinor } from '../money.ts';
import type { Shop, ShopCache } from '../shop.ts';
import * as queries from './queries.ts';

export { addReturning, INTERVALS, type Interval, ordersSince } from './queries.ts';

const DAY_MS = 86_400_000;
/** The longest period in days: a little over two years. */
const LONGEST = 750;
/** Sold products are taken from the orders of this many days, and at most from this many orders. */
const SELLING_DAYS = 30;
const SELLING_ORDERS = 5_000;
/** Stock that lasts no longer than this is running out. */
const SOON_DAYS = 14;

/** Placed orders; amounts are in the shop's currency and exclude cancelled orders. */
export interface Sales {
  orders: number;
  cancelled: number;
  revenue: number;
  /** What was refunded or charged back of these orders, without what was paid too much. */
  refunded: number;
  /** revenue − refunded. */
  net: number;
  /** Average amount of an order that was not cancelled. */
  average: number;
  /** Share of orders of customers who had ordered before, from 0 to 1. */
  returning: number;
}

export interface SalesOfPeriod {
  from: string;
  to: string;
  total: Sales;
  intervals: (Sales & { start: string })[];
}

export interface SoldProduct {
  product_id: number;
  /** Parents count what was sold of their variants, which are listed too. */
  kind: queries.SoldProductRow['kind'];
  name: string;
  qty: number;
  revenue: number;
  stock_qty: number;
  /** Days until the stock is gone at the current rate. */
  days_left: number;
}

/** Days are YYYY-MM-DD, both included. @throws AppError validation_failed */
export function requirePeriod({ from, to }: { from: string; to: string }): void {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw invalidField('to', 'to must not be before from');
  if (days > LONGEST) throw invalidField('from', `The period must not be longer than ${LONGEST} days`);
}

export type SalesService = ReturnType<typeof createSalesService>;

/** Sales figures, from stored totals. */
export function createSalesService({ db, shops }: { db: Db; shops: ShopCache }) {
  const soldProducts = async (companyId: number, now: Date): Promise<SoldProduct[]> => {
    const { exponent } = await shops.get(companyId);
    const since = new Date(now.getTime() - SELLING_DAYS * DAY_MS);
    const rows = await queries.soldProducts(db.lists(companyId), companyId, { since, orders: SELLING_ORDERS });
    return rows
      .filter((row) => !row.archived)
      .map(({ archived: _, revenue, ...row }) => ({
        ...row,
        revenue: fromMinor(revenue, exponent),
        days_left: Math.floor((row.stock_qty * SELLING_DAYS) / row.qty),
      }))
      .sort((a, b) => b.revenue - a.revenue || a.product_id - b.product_id);
  };
  return {
    /** Days are YYYY-MM-DD in the shop's time zone, both included. @throws AppError validation_failed */
    async salesOf(
      companyId: number,
      { from, to }: { from: string; to: string },
      interval: queries.Interval,
    ): Promise<SalesOfPeriod> {
      requirePeriod({ from, to });
      const shop = await shops.get(companyId);
      const period = { from, to, timeZone: shop.timeZone };
      const rows = await queries.salesByInterval(db.lists(companyId), companyId, period, interval);
      const sum = (field: keyof Omit<queries.SalesRow, 'start'>): number =>
        rows.reduce((total, row) => total + row[field], 0);
      const total = {
        placed: sum('placed'),
        cancelled: sum('cancelled'),
        revenue: sum('revenue'),
        returning_orders: sum('returning_orders'),
        refunded: sum('refunded'),
      };
      return {
        from,
        to,
        total: salesRecord(shop, total),
        intervals: rows.map((row) => ({ start: row.start, ...salesRecord(shop, row) })),
      };
    },

    /** Returns the products of the latest orders: at most 5,000 orders of the last 30 days. Best sellers first. */
    soldProducts,

    /** Returns those of `soldProducts` that are soon sold out. */
    async runningOut(companyId: number, now: Date): Promise<SoldProduct[]> {
      return soonSoldOut(await soldProducts(companyId, now));
    },
  };
}

/** The products that are sold out soon at the current rate, the soonest first. Variants run out, not their parents. */
export function soonSoldOut(sold: readonly SoldProduct[]): SoldProduct[] {
  return sold
    .filter(({ kind, days_left }) => kind !== 'parent' && days_left <= SOON_DAYS)
    .sort((a, b) => a.days_left - b.days_left);
}

function salesRecord(shop: Shop, row: Omit<queries.SalesRow, 'start'>): Sales {
  const kept = row.placed - row.cancelled;
  return {
    orders: row.placed,
    cancelled: row.cancelled,
    revenue: fromMinor(row.revenue, shop.exponent),
    refunded: fromMinor(row.refunded, shop.exponent),
    net: fromMinor(row.revenue - row.refunded, shop.exponent),
    average: kept === 0 ? 0 : fromMinor(Math.round(row.revenue / kept), shop.exponent),
    returning: row.placed === 0 ? 0 : row.returning_orders / row.placed,
  };
}
