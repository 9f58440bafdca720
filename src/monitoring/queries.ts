import type { Queryable } from '../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../db/sql.ts';
import { QUEUE_NAMES, QUEUES, type Queue, type QueueName } from './queues.ts';

/** Due items of a queue are counted up to this number. */
export const MOST_COUNTED = 10_000;

export interface QueueFigures {
  queue: QueueName;
  /** At most MOST_COUNTED. */
  items: number;
  oldest: Date | null;
}

/** Returns how much is due per queue, over all companies: at most MOST_COUNTED index entries each, and one probe per company. */
export function queueFigures(db: Queryable, now: Date): Promise<QueueFigures[]> {
  const parts = QUEUE_NAMES.map((name) => figuresOf(name, QUEUES[name], now));
  return db.query<QueueFigures>(parts.reduce((all, part) => sql`${all} union all ${part}`));
}

function figuresOf(name: QueueName, { each, table, where, due, since, order }: Queue, now: Date): Statement {
  const from = rawSql(`from ${table} q where q.company_id = c.company_id and ${where}`);
  const isDue = due === null ? emptySql : sql`and ${rawSql(due)} <= ${now}`;
  return sql`
    select ${name}::text as queue,
      (select count(*) from (
        select 1 from ${rawSql(each)} cross join lateral (select 1 ${from} ${isDue} limit ${MOST_COUNTED}) q
        limit ${MOST_COUNTED}) counted) as items,
      (select min(q.since) from ${rawSql(each)} cross join lateral (
        select ${rawSql(since)} as since ${from} ${isDue} order by ${rawSql(order)} limit 1) q) as oldest`;
}

/** Counts the messages that workers hold right now; costs no more than those messages. */
export function claimedMessages(db: Queryable): Promise<{ step: 'claimed' | 'handing_over'; n: number }[]> {
  return db.query(sql`select step, count(*) as n from message_claims group by step`);
}

export interface DatabaseFigures {
  bytes: number;
  sending_held: boolean;
  last_backup_at: Date | null;
  /** Time of the server's last archived WAL file; null if it does not archive WAL. */
  archived_at: Date | null;
  archive_failures: number | null;
}

export async function databaseFigures(db: Queryable): Promise<DatabaseFigures> {
  const rows = await db.query<DatabaseFigures>(sql`
    select pg_database_size(current_database()) as bytes, i.sending_held_at is not null as sending_held, i.last_backup_at,
      a.last_archived_time as archived_at, a.failed_count as archive_failures
    from pg_settings s
    left join installation i on true
    left join pg_stat_archiver a on s.setting <> 'off'
    where s.name = 'archive_mode'`);
  return rows[0]!;
}
