import type { Queryable } from '../../db/pool.ts';
import { type Place, placeAt } from '../../db/removal.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { Kind } from '../kinds.ts';

/** Rows that ended in the window: `from` (inclusive; null for the beginning) to `to` (exclusive). */
export interface ArchiveWindow {
  from: Date | null;
  to: Date;
}

export interface ArchivedRow {
  /** The month in which it ended: YYYY-MM. */
  month: string;
  /** As JSON. */
  line: string;
}

export interface ArchivePage {
  rows: ArchivedRow[];
  /** Where the next page begins; null at the end. */
  next: Place | null;
}

/** How the rows of a kind are read, in the order of their keys. */
interface Source {
  table: string;
  id: string;
  /** The second part of the key. */
  seq?: string;
  /** When a row was created; in the order of the keys. */
  made: string;
  /** When it ended, null before that; decides when it is removed. */
  ended: string;
  among?: string;
  /** Fields in addition to the row's own. */
  more?: string;
}

const SOURCES: Record<Kind, Source> = {
  events: { table: 'events', id: 'event_id', made: 'received_at', ended: 'received_at' },
  messages: {
    table: 'messages',
    id: 'id',
    made: 'created_at',
    ended: "case when status in ('sent', 'failed', 'skipped') then ended_at end",
    more: `(select coalesce(json_agg(json_build_object('type', a.type, 'reference', a.reference, 'amount', a.amount,
      'created_at', a.created_at, 'last_at', a.last_at) order by a.created_at), '[]')
      from message_activity a where a.company_id = t.company_id and a.message_id = t.id) as activity`,
  },
  contact_activity: {
    table: 'contact_activity',
    id: 'id',
    made: 'created_at',
    ended: 'created_at',
    among: "type <> 'merged'",
  },
  flow_runs: {
    table: 'flow_runs',
    id: 'id',
    made: 'entered_at',
    ended: "case when status not in ('active', 'paused') then ended_at end",
  },
  flow_log: {
    table: 'flow_run_log',
    id: 'run_id',
    seq: 'seq',
    made: '(select r.entered_at from flow_runs r where r.company_id = t.company_id and r.id = t.run_id)',
    ended: `(select r.ended_at from flow_runs r
      where r.company_id = t.company_id and r.id = t.run_id and r.status not in ('active', 'paused'))`,
  },
  carts: { table: 'carts', id: 'id', made: 'created_at', ended: "case when status <> 'paying' then updated_at end" },
  mailbox: { table: 'mailbox_messages', id: 'id', made: 'created_at', ended: 'created_at' },
  webhook_deliveries: {
    table: 'webhook_deliveries',
    id: 'id',
    made: 'created_at',
    ended: "case when status <> 'pending' then finished_at end",
  },
  requests: { table: 'api_requests', id: 'id', made: 'at', ended: 'at' },
};

/** Reads up to `limit` rows of a company after the place, and returns those that ended in the window. */
export async function readPage(
  db: Queryable,
  companyId: number,
  kind: Kind,
  { from, to, place, limit }: ArchiveWindow & { place: Place | null; limit: number },
): Promise<ArchivePage> {
  const { id, seq } = place ?? placeAt(0);
  const rows = await db.query<Read>(pageOf(companyId, SOURCES[kind], { from, to, id, seq, limit }));
  const last = rows.at(-1);
  return {
    rows: rows.filter((row): row is Read & ArchivedRow => row.month !== null && row.line !== null),
    next: rows.length < limit || !rows.some((row) => row.is_old) ? null : { id: last!.id, seq: last!.seq },
  };
}

interface Read {
  id: number;
  seq: number;
  is_old: boolean;
  month: string | null;
  line: string | null;
}

function pageOf(
  companyId: number,
  source: Source,
  { from, to, id, seq, limit }: ArchiveWindow & { id: number; seq: number; limit: number },
): Statement {
  const [key, second] = [rawSql(`t.${source.id}`), rawSql(source.seq === undefined ? '0' : `t.${source.seq}`)];
  const behind =
    source.seq === undefined ? sql`${key} > ${id}` : sql`(${key}, ${second}) > (${id}::bigint, ${seq}::int)`;
  return sql`
    select page.id, page.seq, coalesce(page.made < ${to}, true) as is_old,
      case when page.in_window then to_char(page.ended at time zone 'UTC', 'YYYY-MM') end as month,
      case when page.in_window then (
        select row_to_json(r)::text from (select t.* ${rawSql(source.more === undefined ? '' : `, ${source.more}`)}) r) end as line
    from (
      select t, ${key} as id, ${second} as seq, ${rawSql(source.made)} as made, ${rawSql(source.ended)} as ended,
        coalesce(${rawSql(source.ended)} >= ${from ?? rawSql("'-infinity'")} and ${rawSql(source.ended)} < ${to}, false) as in_window
      from ${rawSql(source.table)} t
      where t.company_id = ${companyId} and ${behind} ${rawSql(source.among === undefined ? '' : `and ${source.among}`)}
      order by ${key} ${source.seq === undefined ? emptySql : sql`, ${second}`} limit ${limit}
    ) page, lateral (select (page.t).*) t
    order by page.id, page.seq`;
}
