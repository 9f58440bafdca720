import type { Queryable } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
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
  -- One that is held is due at a moment that never comes (see gate/held-queries.ts).
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

/** Newest first. The total is precomputed without contact, flow and campaign, or with only a campaign or only a flow. */
export async function listMessages(
  db: Queryable,
  companyId: number,
  filters: MessageFilters,
  page: { skip: number; take: number },
): Promise<{ rows: MessageRow[]; total: number }> {
  const where = sql`m.company_id = ${companyId} ${conditions(filters)}`;
  const kept = keptList(filters);
  const rows = await db.query<{ list_total: number } & { [K in keyof MessageRow]: MessageRow[K] | null }>(
    kept === null
      ? sql`
        select l.total as list_total, ${COLUMNS}
        from (select count(*) as total from ledger m where ${where}) l
        left join lateral (
          select * from ledger m where ${where} order by m.id desc offset ${page.skip} limit ${page.take}
        ) m on true
        order by m.id desc`
      : sql`
        select l.total as list_total, ${COLUMNS}
        from locate_page(${companyId}, ${kept.list}, ${kept.facets}::text[], null, null, ${page.skip}) l
        left join lateral (
          select * from ledger m where ${where} and m.id < l.below and m.id >= l.lowest
          order by m.id desc offset l.rest limit ${page.take}
        ) m on true
        order by m.id desc`,
  );
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & MessageRow => row.id !== null) };
}

function conditions({ state, channel, contactId, flowId, campaignId }: MessageFilters): Statement {
  return sql`${state === null ? emptySql : sql`and m.state = ${state}`}
    ${channel === null ? emptySql : sql`and m.channel = ${channel}`}
    ${contactId === null ? emptySql : sql`and m.contact_id = ${contactId}`}
    ${flowId === null ? emptySql : sql`and m.flow_id = ${flowId}`}
    ${campaignId === null ? emptySql : sql`and m.campaign_id = ${campaignId}`}`;
}

/** Returns the list of precomputed totals with exactly these filters. */
function keptList({ state, channel, contactId, flowId, campaignId }: MessageFilters): {
  list: string;
  facets: string[] | null;
} | null {
  if (contactId !== null || (flowId !== null && (channel !== null || campaignId !== null))) return null;
  // Also by variant, since campaigns are counted by variant.
  if (campaignId !== null)
    return state === null && channel === null ? { list: `campaign-messages:${campaignId}`, facets: null } : null;
  if (flowId !== null) return { list: `flow-messages:${flowId}`, facets: state === null ? null : [`${state}:`] };
  if (state === null && channel === null) return { list: 'messages', facets: null };
  const states = state === null ? ['queued', 'sent', 'failed', 'skipped', 'unknown'] : [state];
  const channels = channel === null ? ['email', 'sms'] : [channel];
  return { list: 'messages', facets: states.flatMap((one) => channels.map((other) => `${one}:${other}`)) };
}

export async function findMessage(db: Queryable, companyId: number, id: number): Promise<MessageRow | undefined> {
  const rows = await db.query<MessageRow>(sql`
    select ${COLUMNS} from ledger m where m.company_id = ${companyId} and m.id = ${id}`);
  return rows[0];
}
