import { hideFromPlanner } from '../../db/planner-hints.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import { SENDING_ALLOWED } from '../../installation.ts';
import { FREE } from '../../messaging/ledger/message.ts';
import { HAS_SNAPSHOT } from './audience/snapshot-queries.ts';
import type { CampaignRef } from './campaign-ref.ts';

/** When a scheduled campaign (alias k) starts. */
const STARTS_AT = rawSql('coalesce(k.first_zone_at, k.scheduled_at)');

/** Campaigns of all companies that are due to start. */
export function findDue(db: Queryable, now: Date): Promise<CampaignRef[]> {
  return db.query<CampaignRef>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status = 'scheduled' and ${SENDING_ALLOWED} and ${STARTS_AT} <= ${now}
    order by ${STARTS_AT}, k.company_id, k.id`);
}

/** Campaigns of all companies whose audience is known, with recipients that have no message yet. */
export function findUnwritten(db: Queryable): Promise<CampaignRef[]> {
  return db.query<CampaignRef>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status in ('sending', 'paused') and k.started_at is not null and k.recipients is null
      and (k.list_id is not null or ${HAS_SNAPSHOT})
    order by k.company_id, k.id`);
}

/** Campaigns of all companies that are being sent and have no queued message left. */
export function findFinished(db: Queryable): Promise<CampaignRef[]> {
  return db.query<CampaignRef>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status = 'sending' and k.recipients is not null and k.retry is null and not exists (
      select 1 from messages m where m.company_id = k.company_id and m.campaign_id = k.id
        and m.status = 'queued')
    order by k.company_id, k.id`);
}

/** Finishes the campaign if it is being sent and has no queued message left; returns whether it did. */
export async function markFinished(tx: Tx, companyId: number, id: number, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update campaigns k set status = 'sent', finished_at = ${now}, updated_at = ${now}
    where k.company_id = ${companyId} and k.id = ${id} and k.status = 'sending' and k.recipients is not null and k.retry is null
      and not exists (
        select 1 from messages m where m.company_id = k.company_id and m.campaign_id = k.id
          and m.status = 'queued')
    returning k.id`);
  return rows.length > 0;
}

/** Cancelled campaigns of all companies with queued messages. */
export function findCancelled(db: Queryable): Promise<CampaignRef[]> {
  return db.query<CampaignRef>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status = 'cancelled' and exists (
      select 1 from messages m where m.company_id = k.company_id and m.campaign_id = k.id and m.status = 'queued')
    order by k.company_id, k.id`);
}

/** Skips up to `limit` queued messages of a cancelled campaign; returns how many. */
export async function skipCancelled(
  db: Queryable,
  companyId: number,
  id: number,
  limit: number,
  now: Date,
): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with waiting as materialized (
      select m.id from messages m
      where m.company_id = ${hideFromPlanner(companyId)} and m.campaign_id = ${id} and m.status = 'queued' and ${FREE}
      limit ${limit} for update skip locked
    ),
    skipped as (
      update messages m set status = 'skipped', reason = 'campaign_cancelled', ended_at = ${now}
      -- As an array, so that they are looked up by key whatever the statistics say: for a company without statistics the planner
      -- joined all messages with these, and 12,000 took more than 15 s.
      where m.company_id = ${hideFromPlanner(companyId)} and m.id = any(array(select id from waiting))
      returning 1
    )
    select count(*) as n from skipped`);
  return rows[0]!.n;
}

/** The next time at which a campaign is due to start, or a winner or a batch is due. */
export async function nextScheduled(db: Queryable, now: Date): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(sql`
    select min(w.at) as at from companies co join campaigns k using (company_id), lateral (
      select case when k.status = 'scheduled' then ${STARTS_AT}
        when k.batches is not null then (k.batching ->> 'next_at')::timestamptz
        else k.started_at + make_interval(hours => (k.ab_test ->> 'hours')::int) end as at) w
    where (k.status = 'scheduled' or (k.status = 'sending' and (k.batching is not null or (k.ab_test is not null and k.winner is null))))
      and w.at > ${now}`);
  return rows[0]?.at ?? null;
}
