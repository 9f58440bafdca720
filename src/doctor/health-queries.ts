import type { Queryable } from '../db/pool.ts';
import { rawSql, type Statement, sql } from '../db/sql.ts';
import { QUEUES, type Queue } from '../monitoring/queues.ts';

export interface TableSize {
  table: string;
  /** Includes indexes, TOAST data, and all partitions. */
  bytes: number;
  /** PostgreSQL's estimates. The space of dead rows is reused after autovacuum has processed them. */
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

/**
 * Months that the worker has to make a partition of events for, from the current one to `ahead` months later. It makes none for a month whose
 * events are in `events_default` already; these stay there.
 */
export async function findMissingMonths(db: Queryable, now: Date, ahead: number): Promise<string[]> {
  const rows = await db.query<{ month: string }>(sql`
    select to_char(month, 'YYYY-MM') as month
    from generate_series(date_trunc('month', ${now}::timestamptz at time zone 'UTC'),
      date_trunc('month', ${now}::timestamptz at time zone 'UTC') + make_interval(months => ${ahead}::int), interval '1 month') month
    where to_regclass(to_char(month, '"events_"YYYY"_"MM')) is null
      and not exists (
        select 1 from events where received_at >= month at time zone 'UTC'
          and received_at < (month + interval '1 month') at time zone 'UTC')
    order by 1`);
  return rows.map((row) => row.month);
}

export interface OverdueRow {
  company_id: number;
  /** A readable name of the overdue work. */
  kind: string;
  since: Date;
}

/** The oldest row of each company and kind of work that was due, including the usual delay of that kind, before `before`. */
export function findOverdue(db: Queryable, before: Date): Promise<OverdueRow[]> {
  const queues = Object.values<Queue>(QUEUES).flatMap((queue) => (queue.overdue === undefined ? [] : overdueOf(queue)));
  return db.query<OverdueRow>(sql`
    select c.company_id, due.kind, min(due.since) as since from companies c, lateral (
      ${queues.reduce((all, part) => sql`${all} union all ${part}`)}
    ) due
    where due.since < ${before}
    group by 1, 2 order by 3, 1, 2 limit 1000`);
}

function overdueOf({ table, where, since, order, overdue }: Queue): Statement {
  const { kind, usual = "interval '0'" } = overdue!;
  return sql`
    select ${kind}::text as kind, (
      select ${rawSql(since)} + ${rawSql(usual)} from ${rawSql(table)} q
      where q.company_id = c.company_id and ${rawSql(where)} order by ${rawSql(order)} limit 1) as since`;
}
