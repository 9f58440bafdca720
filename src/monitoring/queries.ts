import type { Queryable } from '../db/pool.ts';
import { rawSql, type Statement, sql } from '../db/sql.ts';

/** More than so many due items of a queue are not counted. */
export const MOST_COUNTED = 10_000;

/** Where the due items of a queue are, in the words of its index. All of it stands here: nothing comes from outside. */
interface Queue {
  /** Each row of it is one probe of the index. */
  each: string;
  table: string;
  where: string;
  /** Since when an item waits. */
  since: string;
  order: string;
  /** Rows that lie ahead are there, too. */
  timed: boolean;
}

const COMPANIES = { each: 'companies c', order: 'q.due_at', since: 'q.due_at', timed: true };
const PRESENT = { each: 'companies c', order: 'q.id', timed: false };

const QUEUES = {
  outbox: { ...PRESENT, table: 'outbox', where: 'true', since: 'q.occurred_at' },
  refused_events: { ...PRESENT, table: 'outbox_refusals', where: 'true', since: 'q.refused_at' },
  transactional_messages: {
    ...COMPANIES,
    table: 'messages',
    where: "q.lane = 0 and q.status = 'queued' and q.campaign_id is null",
  },
  flow_messages: {
    ...COMPANIES,
    table: 'messages',
    where: "q.lane = 1 and q.status = 'queued' and q.campaign_id is null",
  },
  campaign_messages: {
    ...COMPANIES,
    each: "(select company_id, id as campaign_id from campaigns where status = 'sending') c",
    table: 'messages',
    where: "q.campaign_id = c.campaign_id and q.status = 'queued'",
  },
  flow_runs: { ...COMPANIES, table: 'flow_runs', where: "q.status = 'active'" },
  flow_webhooks: { ...COMPANIES, table: 'flow_webhook_calls', where: "q.status = 'pending'" },
  webhook_deliveries: { ...COMPANIES, table: 'webhook_deliveries', where: "q.status = 'pending'" },
  renewals: { ...COMPANIES, table: 'subscriptions', where: 'q.due_at is not null' },
  erasures: { ...PRESENT, table: 'erasures', where: 'q.finished_at is null', since: 'q.requested_at' },
  unknown_messages: { ...PRESENT, table: 'messages', where: "q.status = 'unknown'", since: 'q.wanted_at' },
} satisfies Record<string, Queue>;

export type QueueName = keyof typeof QUEUES;
export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];

export interface QueueFigures {
  queue: QueueName;
  /** At most MOST_COUNTED. */
  items: number;
  oldest: Date | null;
}

/** How much is due in each queue, over all companies: at most MOST_COUNTED entries of an index each, and one probe a company. */
export function queueFigures(db: Queryable, now: Date): Promise<QueueFigures[]> {
  const parts = QUEUE_NAMES.map((name) => figuresOf(name, QUEUES[name], now));
  return db.query<QueueFigures>(parts.reduce((all, part) => sql`${all} union all ${part}`));
}

function figuresOf(name: QueueName, { each, table, where, since, order, timed }: Queue, now: Date): Statement {
  const from = rawSql(`from ${table} q where q.company_id = c.company_id and ${where}`);
  const due = timed ? sql`and q.due_at <= ${now}` : sql`and true`;
  return sql`
    select ${name}::text as queue,
      (select count(*) from (
        select 1 from ${rawSql(each)} cross join lateral (select 1 ${from} ${due} limit ${MOST_COUNTED}) q
        limit ${MOST_COUNTED}) counted) as items,
      (select min(q.since) from ${rawSql(each)} cross join lateral (
        select ${rawSql(since)} as since ${from} ${due} order by ${rawSql(order)} limit 1) q) as oldest`;
}

/** Messages that a worker holds right now: as many as are on their way. */
export function claimedMessages(db: Queryable): Promise<{ step: 'claimed' | 'handing_over'; n: number }[]> {
  return db.query(sql`select step, count(*) as n from message_claims group by step`);
}

export interface DatabaseFigures {
  bytes: number;
  sending_held: boolean;
  last_backup_at: Date | null;
  /** Of the server's archive of its log; null where it keeps none. */
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
