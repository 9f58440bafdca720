import type { Interval } from '../../../commerce/sales/service.ts';
import type { Queryable } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';

/** First and last day, YYYY-MM-DD, UTC. */
export interface Days {
  from: string;
  to: string;
}

type Totals = 'marketing-days' | 'marketing-sources' | 'list-growth';

/** Reads a counter of these days: a range of the primary key, regardless of the number of messages and contacts. */
function kept(companyId: number, counter: Totals, { from, to }: Days): Statement {
  return sql`
    select day, key, n from counters
    where company_id = ${companyId} and counter = ${counter} and day between ${from}::date and ${to}::date`;
}

export interface IntervalRow {
  /** First day of the interval, which may lie before the period. */
  start: string;
  /** In minor units, like the next three. */
  flow_revenue: number;
  campaign_revenue: number;
  flow_refunded: number;
  campaign_refunded: number;
  flow_orders: number;
  campaign_orders: number;
  subscribed: number;
  unsubscribed: number;
  sent: number;
  refused: number;
  bounced: number;
  complained: number;
}

const sumOf = (keys: Statement): Statement => sql`coalesce(sum(n) filter (where ${keys}), 0)::bigint`;

/** Returns the intervals of the period in order, including empty ones. */
export function totalsByInterval(
  db: Queryable,
  companyId: number,
  days: Days,
  interval: Interval,
): Promise<IntervalRow[]> {
  const unit = rawSql(`'${interval}'`);
  return db.query<IntervalRow>(sql`
    with sums as (
      select date_trunc(${unit}, day::timestamp) as start,
        ${sumOf(sql`key = 'revenue:flow'`)} as flow_revenue,
        ${sumOf(sql`key = 'revenue:campaign'`)} as campaign_revenue,
        ${sumOf(sql`key = 'refunded:flow'`)} as flow_refunded,
        ${sumOf(sql`key = 'refunded:campaign'`)} as campaign_refunded,
        ${sumOf(sql`key = 'orders:flow'`)} as flow_orders,
        ${sumOf(sql`key = 'orders:campaign'`)} as campaign_orders,
        ${sumOf(sql`key = 'subscribed'`)} as subscribed,
        ${sumOf(sql`key = 'unsubscribed'`)} as unsubscribed,
        ${sumOf(sql`key = 'sent:email'`)} as sent, ${sumOf(sql`key = 'refused:email'`)} as refused,
        ${sumOf(sql`key = 'bounced:email'`)} as bounced, ${sumOf(sql`key = 'complained:email'`)} as complained
      from (${kept(companyId, 'marketing-days', days)}) totals
      group by 1
    )
    select to_char(starts.start, 'YYYY-MM-DD') as start, coalesce(flow_revenue, 0)::bigint as flow_revenue,
      coalesce(campaign_revenue, 0)::bigint as campaign_revenue, coalesce(flow_refunded, 0)::bigint as flow_refunded,
      coalesce(campaign_refunded, 0)::bigint as campaign_refunded, coalesce(flow_orders, 0)::bigint as flow_orders,
      coalesce(campaign_orders, 0)::bigint as campaign_orders, coalesce(subscribed, 0)::bigint as subscribed,
      coalesce(unsubscribed, 0)::bigint as unsubscribed, coalesce(sent, 0)::bigint as sent,
      coalesce(refused, 0)::bigint as refused, coalesce(bounced, 0)::bigint as bounced,
      coalesce(complained, 0)::bigint as complained
    from generate_series(
      date_trunc(${unit}, ${days.from}::date::timestamp), ${days.to}::date::timestamp, ('1 ' || ${unit})::interval
    ) as starts (start)
    left join sums on sums.start = starts.start order by starts.start`);
}

export interface SourceRow {
  type: 'flow' | 'campaign';
  id: number;
  name: string | null;
  orders: number;
  /** Minor units, like refunded. */
  revenue: number;
  refunded: number;
}

/** Returns the flows and campaigns with the most attributed revenue. */
export function bestSources(db: Queryable, companyId: number, days: Days, limit: number): Promise<SourceRow[]> {
  return db.query<SourceRow>(sql`
    with sums as (
      select key, sum(n)::bigint as n from (${kept(companyId, 'marketing-sources', days)}) totals group by key
    ),
    best as (
      select split_part(key, ':', 2) as type, split_part(key, ':', 3)::bigint as id,
        ${sumOf(sql`key like 'orders:%'`)} as orders, ${sumOf(sql`key like 'revenue:%'`)} as revenue,
        ${sumOf(sql`key like 'refunded:%'`)} as refunded
      from sums group by 1, 2 having bool_or(n <> 0) order by revenue desc, orders desc, 1, 2 limit ${limit}
    )
    select best.type, best.id, best.orders, best.revenue, best.refunded, coalesce(f.name, k.name) as name
    from best
    left join flows f on best.type = 'flow' and f.company_id = ${companyId} and f.id = best.id
    left join campaigns k on best.type = 'campaign' and k.company_id = ${companyId} and k.id = best.id
    order by best.revenue desc, best.orders desc, best.type, best.id`);
}

export interface ListRow {
  list_id: number;
  name: string;
  subscribed: number;
  unsubscribed: number;
}

/** Returns the lists that changed most; deleted ones are left out. */
export function growthOfLists(db: Queryable, companyId: number, days: Days, limit: number): Promise<ListRow[]> {
  return db.query<ListRow>(sql`
    select l.id as list_id, l.name, sums.subscribed, sums.unsubscribed
    from (
      select split_part(key, ':', 2)::bigint as list_id,
        ${sumOf(sql`key like 'subscribed:%'`)} as subscribed, ${sumOf(sql`key like 'unsubscribed:%'`)} as unsubscribed
      from (
        select key, sum(n) as n from (${kept(companyId, 'list-growth', days)}) totals group by key
      ) by_key
      group by 1
    ) sums
    join lists l on l.company_id = ${companyId} and l.id = sums.list_id and l.deleted_at is null
    where sums.subscribed + sums.unsubscribed > 0
    order by sums.subscribed + sums.unsubscribed desc, l.id limit ${limit}`);
}
