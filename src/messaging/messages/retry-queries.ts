import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { MessageStatus } from '../ledger/message.ts';

/** Locks the campaign of a message, so that others sending its messages again wait; returns whether there is one. */
export async function lockCampaignOf(tx: Tx, companyId: number, messageId: number): Promise<boolean> {
  const rows = await tx.query(sql`
    select k.id from messages m join campaigns k on k.company_id = m.company_id and k.id = m.campaign_id
    where m.company_id = ${companyId} and m.id = ${messageId} for no key update of k`);
  return rows.length > 0;
}

/**
 * For a message in one of the statuses, returns the status of another message of the same campaign to the same contact, which the contact
 * received or may receive. Merged contacts may have several.
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

/** Queues messages in one of the statuses again, unless their campaign was deleted. Returns their campaigns, once per message. */
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

/** Returns finished campaigns to sending, because they have something to send again. */
export async function reopenCampaigns(tx: Tx, companyId: number, ids: number[], now: Date): Promise<void> {
  await tx.query(sql`
    update campaigns set status = 'sending', finished_at = null, updated_at = ${now}
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and status = 'sent'`);
}

/** Returns the message if it was unknown. */
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
