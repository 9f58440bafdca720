import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { Channel } from '../../../messaging/ledger/message.ts';
import type { CampaignRef } from '../campaign-ref.ts';

/** Whether one of the templates contains a link to this server (unsubscribe or preference page). */
export async function haveOwnLinks(db: Queryable, companyId: number, templateIds: number[]): Promise<boolean> {
  if (templateIds.length === 0) return false;
  const rows = await db.query(sql`
    select id from templates
    where company_id = ${companyId} and id = any(${templateIds}::bigint[])
      and content ~ '(unsubscribe|preferences)_url' limit 1`);
  return rows.length > 0;
}

/** E-mail campaigns that are being sent although their company's marketing e-mail is paused. */
export function findSendingWhilePaused(db: Queryable): Promise<CampaignRef[]> {
  return db.query<CampaignRef>(sql`
    select k.company_id, k.id from marketing_pauses p join campaigns k using (company_id)
    where p.paused_at is not null and k.status = 'sending' and k.type = 'email'
    order by k.company_id, k.id`);
}

/** Campaigns of all companies that are being sent by these channels. */
export function findSending(db: Queryable, channels: readonly Channel[]): Promise<CampaignRef[]> {
  return db.query<CampaignRef>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status = 'sending' and k.type = any(${channels}::text[])
    order by k.company_id, k.id`);
}
