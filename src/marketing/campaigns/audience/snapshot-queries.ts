import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';
import type { CampaignRef } from '../campaign-ref.ts';
import type { AudienceColumns } from './composition.ts';

/** Whether the audience of a campaign (alias k) has been evaluated. */
export const HAS_SNAPSHOT = rawSql(`exists (
  select from campaign_audiences s where s.company_id = k.company_id and s.campaign_id = k.id)`);

/** Locks the evaluation of the campaign's audience until COMMIT; false if another process has it. */
export async function tryLockEvaluation(tx: Tx, companyId: number, campaignId: number): Promise<boolean> {
  const rows = await tx.query<{ got: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtextextended(${`campaign-audience:${campaignId}`}, ${companyId})) as got`);
  return rows[0]!.got;
}

/** Whether the campaign's audience has not been evaluated yet. */
export async function lacksSnapshot(db: Queryable, companyId: number, campaignId: number): Promise<boolean> {
  const rows = await db.query(sql`
    select k.id from campaigns k
    where k.company_id = ${companyId} and k.id = ${campaignId} and k.status in ('sending', 'paused')
      and k.started_at is not null and k.recipients is null and k.list_id is null and not ${HAS_SNAPSHOT}`);
  return rows.length > 0;
}

/** Stores the ids of the recipients, `size` to a row; returns their number. */
export async function insertSnapshot(
  tx: Tx,
  companyId: number,
  campaignId: number,
  recipients: Statement,
  size: number,
): Promise<number> {
  const rows = await tx.query<{ n: number }>(sql`
    with parts as (
      select max(p.id) as last_id, array_agg(p.id order by p.id) as contact_ids
      from (select c.id, (row_number() over (order by c.id) - 1) / ${size}::bigint as part from (${recipients}) c) p
      group by p.part
      union all
      select 9223372036854775807, '{}'
    ),
    stored as (
      insert into campaign_audiences (company_id, campaign_id, last_id, contact_ids)
      select ${companyId}, ${campaignId}::bigint, last_id, contact_ids from parts
      returning cardinality(contact_ids) as n
    )
    select sum(n)::bigint as n from stored`);
  return rows[0]!.n;
}

export async function deleteSnapshot(tx: Tx, companyId: number, campaignId: number): Promise<void> {
  await tx.query(sql`
    delete from campaign_audiences where company_id = ${companyId} and campaign_id = ${campaignId}`);
}

/** Campaigns of all companies whose audience has yet to be evaluated, the longest waiting first. */
export function findWithoutSnapshot(db: Queryable): Promise<CampaignRef[]> {
  return db.query<CampaignRef>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status in ('sending', 'paused') and k.started_at is not null and k.recipients is null
      and k.list_id is null and not ${HAS_SNAPSHOT}
    order by k.started_at, k.company_id, k.id`);
}

/** Campaigns of all companies whose recipients have yet to be counted. */
export function findUncounted(db: Queryable): Promise<CampaignRef[]> {
  return db.query<CampaignRef>(sql`
    select k.company_id, k.id from campaigns k where k.count_due order by k.company_id, k.id`);
}

/** Does nothing if the audience was changed meanwhile. */
export async function storeCount(
  db: Queryable,
  companyId: number,
  campaign: AudienceColumns & { id: number },
  counted: number | null,
): Promise<void> {
  await db.query(sql`
    update campaigns set counted = ${counted}, count_due = false
    where company_id = ${companyId} and id = ${campaign.id} and count_due
      and list_id is not distinct from ${campaign.list_id} and segment_id is not distinct from ${campaign.segment_id}
      and audience is not distinct from ${campaign.audience}::jsonb`);
}
