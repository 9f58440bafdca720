import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
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
}

const COLUMNS =
  rawSql(`m.id, m.channel, m.status, m.reason, m.reply, m.contact_id, m.recipient, m.transactional, m.origin,
  m.flow_id, m.run_id, m.step_id, m.campaign_id, m.variant, m.attempts,
  -- One that is held is due at a moment that never comes (see waiting/held-queries.ts).
  case when date_part('year', m.due_at at time zone 'UTC') = 9998 then (
    select w.wanted_at from messages w where w.company_id = m.company_id and w.id = m.id) else m.due_at end as due_at,
  m.created_at, m.handed_over_at, m.ended_at`);

export interface MessageFilters {
  state: MessageState | null;
  channel: Channel | null;
  contactId: number | null;
  flowId: number | null;
  campaignId: number | null;
}

/** Newest first. Without contact, flow and campaign, or with a campaign or a flow alone, the total is kept. */
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
          select * from ledger m where ${where} and m.id < l.below order by m.id desc offset l.rest limit ${page.take}
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

/** The list of kept totals that has exactly these filters. */
function keptList({ state, channel, contactId, flowId, campaignId }: MessageFilters): {
  list: string;
  facets: string[] | null;
} | null {
  if (contactId !== null || (flowId !== null && (channel !== null || campaignId !== null))) return null;
  // By variant as well, which only the campaign knows.
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

/** Locks the campaign of a message, which waits for whoever else sends its messages again; gives whether there is one. */
export async function lockCampaignOf(tx: Tx, companyId: number, messageId: number): Promise<boolean> {
  const rows = await tx.query(sql`
    select k.id from messages m join campaigns k on k.company_id = m.company_id and k.id = m.campaign_id
    where m.company_id = ${companyId} and m.id = ${messageId} for no key update of k`);
  return rows.length > 0;
}

/**
 * Of a message that has one of the statuses: that of another one of the same campaign to the same contact, who got it by that one
 * or may get it. Merged contacts may have several.
 */
export async function findOther(
  tx: Tx,
  companyId: number,
  messageId: number,
  statuses: MessageStatus[],
): Promise<MessageStatus | null> {
  const rows = await tx.query<{ status: MessageStatus }>(sql`
    select o.status from messages m
    join messages o on o.company_id = m.company_id and o.contact_id = m.contact_id and o.campaign_id = m.campaign_id
    where m.company_id = ${companyId} and m.id = ${messageId} and m.status = any(${statuses}::text[])
      and o.id <> m.id and o.status in ('sent', 'unknown', 'queued')
    order by o.id limit 1`);
  return rows[0]?.status ?? null;
}

/**
 * Queues messages again that have one of the statuses, but for those whose campaign was deleted; gives their campaigns, once
 * for each message.
 */
export function requeueMessages(
  tx: Tx,
  companyId: number,
  wanted: { ids: number[]; statuses: MessageStatus[]; now: Date },
): Promise<{ campaign_id: number | null }[]> {
  return tx.query(sql`
    update messages set status = 'queued', reason = null, attempts = 0, due_at = ${wanted.now},
      wanted_at = null, ended_at = null
    where company_id = ${companyId} and id = any(${wanted.ids}::bigint[]) and status = any(${wanted.statuses}::text[])
      and (campaign_id is null or exists (
        select 1 from campaigns k where k.company_id = ${companyId} and k.id = messages.campaign_id))
    returning campaign_id`);
}

/** A campaign that was done has something to send again. */
export async function reopenCampaigns(tx: Tx, companyId: number, ids: number[], now: Date): Promise<void> {
  await tx.query(sql`
    update campaigns set status = 'sending', finished_at = null, updated_at = ${now}
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and status = 'sent'`);
}

/** Gives the message, where it was unknown. */
export function markSent(
  tx: Tx,
  companyId: number,
  id: number,
  now: Date,
): Promise<{ flow_id: number | null; step_id: string | null }[]> {
  return tx.query(sql`
    update messages set status = 'sent', reason = 'marked_sent', ended_at = ${now}
    where company_id = ${companyId} and id = ${id} and status = 'unknown' returning flow_id, step_id`);
}

/** Sets keys of companies.settings.messaging; null takes one away. */
export async function mergeSettings(tx: Tx, companyId: number, patch: Record<string, unknown>): Promise<void> {
  await tx.query(sql`
    update companies set settings = settings || jsonb_build_object('messaging',
      jsonb_strip_nulls(coalesce(settings -> 'messaging', '{}') || ${patch}::jsonb))
    where company_id = ${companyId}`);
}
