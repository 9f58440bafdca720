import type { Queryable } from '../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../db/sql.ts';
import { PROVIDER_DOMAINS, type Provider } from './providers.ts';

export interface GrowthRow {
  /** YYYY-MM-DD, UTC. */
  date: string;
  subscribed: number;
  unsubscribed: number;
  /** Active members that the day added or took away. */
  net: number;
}

/** What is counted of a list, or of all contacts: the counter of its days with its keys, and that of what is active now. */
function countersOf(listId: number | null) {
  const of = listId === null ? '' : `:${listId}`;
  return {
    days: listId === null ? 'marketing-days' : 'list-growth',
    subscribed: `subscribed${of}`,
    unsubscribed: `unsubscribed${of}`,
    net: `active${of}`,
    now: listId === null ? 'contacts' : `list:${listId}`,
    active: listId === null ? 'subscribed' : 'active',
  };
}

const sumOf = (key: string): Statement => sql`coalesce(sum(n) filter (where key = ${key}), 0)::bigint`;

/**
 * Returns what is active now, and the changes of each day from `from` on, the days on which nothing changed left out: a range of the
 * primary key of the counters. One statement, so that both are of one moment.
 */
export async function findGrowth(
  db: Queryable,
  companyId: number,
  listId: number | null,
  from: string,
): Promise<{ active: number; days: GrowthRow[] }> {
  const of = countersOf(listId);
  const rows = await db.query<{ active: number; days: GrowthRow[] }>(sql`
    select
      (select coalesce(sum(n), 0)::bigint from counters
        where company_id = ${companyId} and counter = ${of.now} and key = ${of.active}) as active,
      (select coalesce(json_agg(changes order by date), '[]'::json) from (
        select to_char(day, 'YYYY-MM-DD') as date, ${sumOf(of.subscribed)} as subscribed,
          ${sumOf(of.unsubscribed)} as unsubscribed, ${sumOf(of.net)} as net
        from counters
        where company_id = ${companyId} and counter = ${of.days} and day >= ${from}::date
          and key = any(${[of.subscribed, of.unsubscribed, of.net]}::text[])
        group by day
      ) changes) as days`);
  return rows[0]!;
}

export interface RevenuePeriod {
  by: 'flow' | 'campaign';
  interval: 'day' | 'week';
  /** First and last day, YYYY-MM-DD, in the time zone. */
  from: string;
  to: string;
  timeZone: string;
}

export interface RevenueRow {
  /** Null for those that are not among the best. */
  id: number | null;
  name: string | null;
  /** First day of the interval, which may lie before the period. */
  start: string;
  orders: number;
  /** Minor units, like refunded. */
  revenue: number;
  refunded: number;
}

/**
 * Returns what messages of flows or campaigns led to, by interval, for the `best` sources with the most net revenue and for all others
 * together; only intervals with an order.
 */
export function findRevenue(
  db: Queryable,
  companyId: number,
  { by, interval, from, to, timeZone }: RevenuePeriod,
  best: number,
): Promise<RevenueRow[]> {
  const unit = rawSql(`'${interval}'`);
  // A message of a flow has no campaign.
  const source = by === 'flow' ? sql`m.flow_id` : sql`case when m.flow_id is null then m.campaign_id end`;
  const named = by === 'flow' ? rawSql('flows') : rawSql('campaigns');
  return db.query<RevenueRow>(sql`
    with sums as materialized (
      select ${source} as id, date_trunc(${unit}, a.created_at at time zone ${timeZone}) as start,
        count(*) filter (where a.type = 'converted') as orders,
        coalesce(sum(a.amount) filter (where a.type = 'converted'), 0) as revenue,
        coalesce(sum(a.amount) filter (where a.type = 'refunded'), 0) as refunded
      from message_activity a join messages m on m.company_id = ${companyId} and m.id = a.message_id
      where a.company_id = ${companyId} and a.type in ('converted', 'refunded')
        and a.created_at >= ${from}::date::timestamp at time zone ${timeZone}
        and a.created_at < (${to}::date + 1)::timestamp at time zone ${timeZone}
      group by 1, 2
    ),
    best as (
      select id from sums where id is not null group by id order by sum(revenue - refunded) desc, id limit ${best}
    )
    select b.id, n.name, to_char(s.start, 'YYYY-MM-DD') as start, sum(s.orders)::bigint as orders,
      sum(s.revenue)::bigint as revenue, sum(s.refunded)::bigint as refunded
    from sums s left join best b on b.id = s.id
    left join ${named} n on n.company_id = ${companyId} and n.id = b.id
    where s.id is not null group by b.id, n.name, s.start order by s.start, b.id`);
}

export interface ProviderRow {
  provider: Provider;
  sent: number;
  opened: number;
  clicked: number;
  bounced: number;
  complained: number;
}

/** The part of a statement that names the e-mails handed over since a moment, as m: all of it is in one index. */
const handedOver = (companyId: number, since: Date): Statement => sql`messages m
  where m.company_id = ${companyId} and m.status = 'sent' and m.handed_over_at >= ${since} and m.channel = 'email'`;

/** Returns the least id of the e-mails handed over since a moment, null without one. */
export async function findFirstSent(db: Queryable, companyId: number, since: Date): Promise<number | null> {
  // The sum keeps the planner from walking along the ids from the oldest message on.
  const rows = await db.query<{ id: number | null }>(
    sql`select min(m.id + 0) as id from ${handedOver(companyId, since)}`,
  );
  return rows[0]?.id ?? null;
}

/**
 * Counts the e-mails handed over since a moment and what became of them, by provider; `first` is the least of their ids. Reads two indexes
 * alone (docs/design/deliverability.md). Domains are counted first, so that each is looked up once.
 */
export function findProviders(db: Queryable, companyId: number, since: Date, first: number): Promise<ProviderRow[]> {
  const sumOf = (type: string): Statement => sql`coalesce(sum(n) filter (where type = ${type}), 0)::bigint`;
  const sent = handedOver(companyId, since);
  return db.query<ProviderRow>(sql`
    with counted as (
      select split_part(m.recipient, '@', 2) as domain, 'sent' as type, count(*) as n from ${sent} group by 1
      union all
      select split_part(m.recipient, '@', 2), a.type, count(*)
      from message_activity a join (select m.id, m.recipient from ${sent}) m on m.id = a.message_id
      where a.company_id = ${companyId} and a.message_id >= ${first}
        and a.type in ('opened', 'clicked', 'bounced', 'complained')
      group by 1, 2
    )
    select coalesce(p.provider, 'other') as provider, ${sumOf('sent')} as sent, ${sumOf('opened')} as opened,
      ${sumOf('clicked')} as clicked, ${sumOf('bounced')} as bounced, ${sumOf('complained')} as complained
    from counted c
    left join unnest(${PROVIDER_DOMAINS.map(([domain]) => domain)}::text[],
      ${PROVIDER_DOMAINS.map(([, provider]) => provider)}::text[]) as p (domain, provider) on p.domain = lower(c.domain)
    group by 1 order by 2 desc, 1`);
}
