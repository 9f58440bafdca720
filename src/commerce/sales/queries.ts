import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../db/sql.ts';
import { SELLABLE_STOCK } from '../inventory/stock.ts';
import { NOT_SOLD } from '../products/variants/conditions.ts';

export const INTERVALS = ['day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** First and last day, YYYY-MM-DD, in the time zone. */
export interface Period {
  from: string;
  to: string;
  timeZone: string;
}

export interface SalesRow {
  /** The interval's first day, which may lie before the period. */
  start: string;
  placed: number;
  cancelled: number;
  revenue: number;
  returning_orders: number;
  refunded: number;
}

/** Returns the intervals of the period in order, including those without sales. */
export async function salesByInterval(
  db: Queryable,
  companyId: number,
  { from, to, timeZone }: Period,
  interval: Interval,
): Promise<SalesRow[]> {
  const unit = rawSql(`'${interval}'`);
  return db.query<SalesRow>(sql`
    with period as (
      select ${from}::date::timestamp at time zone ${timeZone} as begins,
        (${to}::date + 1)::timestamp at time zone ${timeZone} as ends
    ),
    slots as (
      select slot, placed, cancelled, revenue, returning_orders, refunded from sales, period
      where company_id = ${companyId} and slot >= begins and slot < ends
    ),
    sums as (
      select date_trunc(${unit}, slot at time zone ${timeZone}) as start, sum(placed) as placed,
        sum(cancelled) as cancelled, sum(revenue) as revenue, sum(returning_orders) as returning_orders,
        sum(refunded) as refunded
      from slots group by 1
    )
    select to_char(start, 'YYYY-MM-DD') as start, coalesce(placed, 0)::bigint as placed,
      coalesce(cancelled, 0)::bigint as cancelled, coalesce(revenue, 0)::bigint as revenue,
      coalesce(returning_orders, 0)::bigint as returning_orders, coalesce(refunded, 0)::bigint as refunded
    from generate_series(
      date_trunc(${unit}, ${from}::date::timestamp), ${to}::date::timestamp, ('1 ' || ${unit})::interval) as all_starts (start)
    left join sums using (start) order by start`);
}

export interface SoldProductRow {
  product_id: number;
  name: string;
  kind: 'simple' | 'parent' | 'variant';
  qty: number;
  revenue: number;
  stock_qty: number;
  archived: boolean;
}

/**
 * A query for the orders placed since a moment, newest first, with id and status. Their number, which the totals of sales tell, ends the
 * search: it would go on to the oldest order of all.
 */
export function ordersSince(companyId: number, since: Date): Statement {
  return sql`
    select id, status from orders where company_id = ${companyId} and created_at >= ${since} order by id desc
    limit (select coalesce(sum(placed), 0) from sales
      where company_id = ${companyId} and slot >= slot_of(${since}::timestamptz))`;
}

/** Returns what was sold in the latest orders since `since`, at most `orders` of them: by product, and of variants also by parent. */
export async function soldProducts(
  db: Queryable,
  companyId: number,
  { since, orders }: { since: Date; orders: number },
): Promise<SoldProductRow[]> {
  return db.query<SoldProductRow>(sql`
    with latest as (
      select o.id from (${ordersSince(companyId, since)}) o where o.status <> 'cancelled' order by o.id desc limit ${orders}
    ),
    ordered as (
      select i.product_id, sum(i.qty)::bigint as qty, sum(i.subtotal - i.discount)::bigint as revenue
      from latest join order_items i on i.company_id = ${companyId} and i.order_id = latest.id
      group by 1
    ),
    sold as (
      select counted.product_id, sum(qty)::bigint as qty, sum(revenue)::bigint as revenue
      from ordered join products v on v.company_id = ${companyId} and v.id = ordered.product_id,
        lateral (values (v.id), (v.variant_of)) as counted (product_id)
      where counted.product_id is not null
      group by 1
    )
    select p.id as product_id, p.name, sold.qty, sold.revenue, ${SELLABLE_STOCK} as stock_qty, ${NOT_SOLD} as archived,
      case when p.variant_count > 0 then 'parent' when p.variant_of is not null then 'variant' else 'simple' end as kind
    from sold
    join products p on p.company_id = ${companyId} and p.id = sold.product_id
    join product_stock s on s.company_id = ${companyId} and s.product_id = sold.product_id`);
}

/** Corrects returning orders before customers are merged: all but one of their first orders then belong to a returning customer. */
export async function addReturning(tx: Tx, companyId: number, customerIds: number[]): Promise<void> {
  await tx.query(sql`
    insert into sales_deltas (company_id, slot, placed, cancelled, revenue, returning_orders)
    select ${companyId}, slot_of(max(o.created_at)), 0, 0, 0, count(*) - 1
    from unnest(${customerIds}::bigint[]) c (id), lateral (
      select created_at from orders where company_id = ${companyId} and customer_id = c.id order by id limit 1
    ) o
    having count(*) > 1`);
}
