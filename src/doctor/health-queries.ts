import type { Queryable } from '../db/pool.ts';
import { sql } from '../db/sql.ts';

export interface TableSize {
  table: string;
  /** With indexes and what is stored beside it, of all partitions. */
  bytes: number;
  /** As PostgreSQL estimates; dead ones are space that is used again once autovacuum has been there. */
  rows: number;
  dead_rows: number;
}

/** Sizes of tables, the largest first. */
export function findTableSizes(db: Queryable): Promise<TableSize[]> {
  return db.query<TableSize>(sql`
    select coalesce(i.inhparent, c.oid)::regclass::text as table, sum(pg_total_relation_size(c.oid))::bigint as bytes,
      sum(coalesce(s.n_live_tup, 0))::bigint as rows, sum(coalesce(s.n_dead_tup, 0))::bigint as dead_rows
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid
    left join pg_stat_user_tables s on s.relid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    group by 1 order by 2 desc, 1`);
}

/** Months of events without a partition, of the present one and the next. */
export async function findMissingMonths(db: Queryable, now: Date, ahead: number): Promise<string[]> {
  const rows = await db.query<{ month: string }>(sql`
    select to_char(month, 'YYYY-MM') as month
    from generate_series(date_trunc('month', ${now}::timestamptz at time zone 'UTC'),
      date_trunc('month', ${now}::timestamptz at time zone 'UTC') + make_interval(months => ${ahead}::int), interval '1 month') month
    where to_regclass(to_char(month, '"events_"YYYY"_"MM')) is null order by 1`);
  return rows.map((row) => row.month);
}

export interface OverdueRow {
  company_id: number;
  /** What is overdue, as people call it. */
  kind: string;
  since: Date;
}

/** The oldest due row of each company and kind of work that has been due since before the moment. */
export function findOverdue(db: Queryable, before: Date): Promise<OverdueRow[]> {
  return db.query<OverdueRow>(sql`
    select c.company_id, due.kind, min(due.since) as since from companies c, lateral (
      select 'events of the shop' as kind, (
        select o.occurred_at from outbox o where o.company_id = c.company_id order by o.id limit 1) as since
      union all
      select 'messages', (
        select min(m.due_at) from messages m
        where m.company_id = c.company_id and m.lane = lane.n and m.status = 'queued' and m.campaign_id is null)
      from (values (0), (1), (2)) lane (n)
      union all
      select 'webhook deliveries', (
        select min(d.due_at) from webhook_deliveries d where d.company_id = c.company_id and d.status = 'pending')
      union all
      select 'runs of flows', (
        select min(r.due_at) from flow_runs r where r.company_id = c.company_id and r.status = 'active')
      union all
      select 'renewals of subscriptions', (
        select min(s.due_at) from subscriptions s where s.company_id = c.company_id and s.due_at is not null)
      union all
      select 'the removal of old ' || replace(p.kind, '_', ' '), p.next_at + interval '1 day'
      from retention_progress p where p.company_id = c.company_id and p.next_at > '-infinity'
    ) due
    where due.since < ${before}
    group by 1, 2 order by 3, 1, 2 limit 1000`);
}
