import { countRows, pageOfKeys, storedTotal } from '../../db/lists.ts';
import type { Queryable } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { Correlation } from '../../lib/tracing/correlation.ts';
import type { Channel, MessageState, MessageStatus } from '../ledger/message.ts';

export interface MessageRow {
  id: number;
  channel: Channel;
  status: MessageStatus;
  reason: string | null;
  reply: string | null;
  contact_id: number | null;
  recipient: string | null;
  transactional: boolean;
  origin: 'flow' | 'campaign' | 'system';
  flow_id: number | null;
  run_id: number | null;
  step_id: string | null;
  campaign_id: number | null;
  variant: string | null;
  attempts: number;
  due_at: Date;
  created_at: Date;
  handed_over_at: Date | null;
  ended_at: Date | null;
  correlation: Correlation | null;
}

const COLUMNS =
  rawSql(`m.id, m.channel, m.status, m.reason, m.reply, m.contact_id, m.recipient, m.transactional, m.origin,
  m.flow_id, m.run_id, m.step_id, m.campaign_id, m.variant, m.attempts,
  -- One that is held is due at a moment that never comes (see send/holds.ts).
  case when date_part('year', m.due_at at time zone 'UTC') = 9998 then (
    select w.wanted_at from messages w where w.company_id = m.company_id and w.id = m.id) else m.due_at end as due_at,
  m.created_at, m.handed_over_at, m.ended_at,
  -- Of at most a page of rows, by key.
  (select w.correlation from messages w where w.company_id = m.company_id and w.id = m.id) as correlation`);

export interface MessageFilters {
  state: MessageState | null;
  channel: Channel | null;
  contactId: number | null;
  flowId: number | null;
  campaignId: number | null;
}

/** Newest first, with the exact total. Keys are found in indexes alone, rows are read for the page. */
export async function listMessages(
  db: Queryable,
  companyId: number,
  filters: MessageFilters,
  page: PageBounds,
): Promise<{ rows: MessageRow[]; total: number }> {
  const from = sql`from messages m where m.company_id = ${companyId} ${conditions(filters)}`;
  const isFiltered = Object.values(filters).some((value) => value !== null);
  const rows = await db.query<{ list_total: number } & { [K in keyof MessageRow]: MessageRow[K] | null }>(sql`
    select l.total as list_total, ${COLUMNS}
    from (${isFiltered ? countRows(from) : storedTotal(companyId, 'messages')}) l
    left join (
      (${pageOfKeys(sql`select m.id ${from} order by m.id desc`, page)}) keys
      cross join lateral (select * from ledger where company_id = ${companyId} and id = keys.id offset 0) m
    ) on true
    order by m.id desc`);
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & MessageRow => row.id !== null) };
}

function conditions({ state, channel, contactId, flowId, campaignId }: MessageFilters): Statement {
  // A constant, so that the planner may use the partial index of failed and unknown messages.
  return sql`${state === null ? emptySql : sql`and m.status = ${rawSql(`'${state}'`)}`}
    ${channel === null ? emptySql : sql`and m.channel = ${channel}`}
    ${contactId === null ? emptySql : sql`and m.contact_id = ${contactId}`}
    ${flowId === null ? emptySql : sql`and m.flow_id = ${flowId}`}
    ${campaignId === null ? emptySql : sql`and m.campaign_id = ${campaignId}`}`;
}

export async function findMessage(db: Queryable, companyId: number, id: number): Promise<MessageRow | undefined> {
  const rows = await db.query<MessageRow>(sql`
    select ${COLUMNS} from ledger m where m.company_id = ${companyId} and m.id = ${id}`);
  return rows[0];
}
