import { hideFromPlanner } from '../../../db/planner-hints.ts';
import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';
import type { CampaignRef } from '../campaign-ref.ts';
import type { CampaignRetry } from '../queries.ts';

/** Campaigns of all companies with a retry under way. */
export function findRetrying(db: Queryable): Promise<CampaignRef[]> {
  return db.query<CampaignRef>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.retry is not null and k.status in ('sending', 'paused') order by k.company_id, k.id`);
}

/** The highest id of the campaign's messages in these statuses; 0 if there are none. */
export async function lastMessage(
  tx: Tx,
  companyId: number,
  campaignId: number,
  statuses: CampaignRetry['statuses'],
): Promise<number> {
  const rows = await tx.query<{ last: number }>(sql`
    select coalesce(max(id), 0) as last from messages
    where company_id = ${companyId} and campaign_id = ${campaignId} and ${hasStatus(statuses)}`);
  return rows[0]!.last;
}

export interface Requeued {
  /** How many messages were scanned, and the id of the last. */
  looked: number;
  last: number | null;
  /** How many messages were queued again. */
  n: number;
}

/**
 * Queues the next messages of a retry again, in the order of their ids. A merged contact may have several messages of the
 * campaign: if another one was sent or is queued, none is queued again, otherwise only the first.
 */
export async function requeue(
  tx: Tx,
  companyId: number,
  campaignId: number,
  { after, until, statuses }: CampaignRetry,
  { limit, now }: { limit: number; now: Date },
): Promise<Requeued> {
  const rows = await tx.query<Requeued>(sql`
    with looked as materialized (
      select id from messages
      where company_id = ${hideFromPlanner(companyId)} and campaign_id = ${campaignId} and ${hasStatus(statuses)}
        and id > ${after} and id <= ${until}
      order by id limit ${limit}
    ),
    again as (
      update messages set status = 'queued', reason = null, attempts = 0, due_at = ${now}, wanted_at = null, ended_at = null
      where company_id = ${hideFromPlanner(companyId)} and id = any(array(select id from looked))
        -- One look-up by contact for each, whatever the statistics say: as a join, a campaign without statistics was scanned
        -- once per message, and 12,000 messages took more than 15 s.
        and (
          select o.id from messages o
          where o.company_id = ${hideFromPlanner(companyId)} and o.contact_id = messages.contact_id
            and (o.campaign_id = ${campaignId}) is true
            and o.status <> 'skipped' and ${precedence('o')} < ${precedence('messages')}
          limit 1) is null
      returning 1
    )
    select (select count(*) from looked) as looked, (select max(id) from looked) as last, (select count(*) from again) as n`);
  return rows[0]!;
}

/** Constants, so that also a generic plan may use the partial index of failed and unknown messages. */
function hasStatus(statuses: CampaignRetry['statuses']): Statement {
  return rawSql(statuses.includes('unknown') ? "status in ('failed', 'unknown')" : "status = 'failed'");
}

/** The order of preference among several messages to a contact. */
function precedence(alias: 'o' | 'messages'): Statement {
  return rawSql(`(array_position('{sent,queued,unknown,failed}', ${alias}.status), ${alias}.id)`);
}
