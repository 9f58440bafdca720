import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';
import { unseen } from '../../contacts/service.ts';
import type { Place } from '../audience/queries.ts';
import type { CampaignRetry } from '../queries.ts';

/** Campaigns of all companies with failed messages that are still to be queued again. */
export function findRetrying(db: Queryable): Promise<Place[]> {
  return db.query<Place>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.retry is not null and k.status in ('sending', 'paused') order by k.company_id, k.id`);
}

/** The highest id of the campaign's messages; 0 where it has none. */
export async function lastMessage(tx: Tx, companyId: number, campaignId: number, statuses: string[]): Promise<number> {
  const rows = await tx.query<{ last: number }>(sql`
    select coalesce(max(l.id), 0) as last from unnest(${statuses}::text[]) s (status), lateral (
      select max(m.id) as id from messages m
      where m.company_id = ${companyId} and m.campaign_id = ${campaignId} and m.status = s.status) l`);
  return rows[0]!.last;
}

export interface Requeued {
  /** How many messages were looked at, and the last of them. */
  looked: number;
  last: number | null;
  /** How many of them are queued again. */
  n: number;
}

/**
 * Looks at the next messages of a retry, in the order of their ids, and queues them again. Merged contacts may have several
 * messages: none of theirs where another one was handed over or waits, else the first.
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
      -- Of each status the index has them in order.
      select l.id from unnest(${statuses}::text[]) s (status), lateral (
        select m.id from messages m
        where m.company_id = ${unseen(companyId)} and m.campaign_id = ${campaignId} and m.status = s.status
          and m.id > ${after} and m.id <= ${until}
        order by m.id limit ${limit}) l
      order by l.id limit ${limit}
    ),
    again as (
      update messages set status = 'queued', reason = null, attempts = 0, due_at = ${now}, wanted_at = null, ended_at = null
      where company_id = ${unseen(companyId)} and id = any(array(select id from looked))
        -- Looked up for each by its contact, whatever statistics say: joined, a campaign of which they know nothing was gone
        -- through for each of its messages, and 12,000 took more than 15 s.
        and (
          select o.id from messages o
          where o.company_id = ${unseen(companyId)} and o.contact_id = messages.contact_id
            and (o.campaign_id = ${campaignId}) is true
            and o.status <> 'skipped' and ${precedence('o')} < ${precedence('messages')}
          limit 1) is null
      returning 1
    )
    select (select count(*) from looked) as looked, (select max(id) from looked) as last, (select count(*) from again) as n`);
  return rows[0]!;
}

/** Which of several messages to one contact is to stand. */
function precedence(alias: 'o' | 'messages'): Statement {
  return rawSql(`(array_position('{sent,queued,unknown,failed}', ${alias}.status), ${alias}.id)`);
}
