import { hideFromPlanner } from '../../../db/planner-hints.ts';
import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { UNTIL_RELEASED } from '../../../messaging/ledger/message.ts';
import type { CampaignRef } from '../campaign-ref.ts';

/** Campaigns of all companies that are being sent, whose next batch is due and has messages. */
export function findBatchesDue(db: Queryable, now: Date): Promise<CampaignRef[]> {
  return db.query<CampaignRef>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status = 'sending' and k.batches is not null and k.recipients is not null
      and (k.batching is null or (k.batching ->> 'left')::bigint > 0 or (k.batching ->> 'next_at')::timestamptz <= ${now})
      and exists (
        select 1 from messages m where m.company_id = k.company_id and m.campaign_id = k.id and m.status = 'queued'
          and m.due_at = ${UNTIL_RELEASED})
    order by k.company_id, k.id`);
}

/** Makes up to `limit` waiting messages due, in the order in which they were written; returns how many. */
export async function releaseMessages(
  db: Queryable,
  companyId: number,
  id: number,
  { limit, now }: { limit: number; now: Date },
): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with waiting as materialized (
      select id from messages
      where company_id = ${hideFromPlanner(companyId)} and campaign_id = ${id} and status = 'queued' and due_at = ${UNTIL_RELEASED}
      order by id limit ${limit} for update skip locked
    ),
    released as (
      update messages m set due_at = ${now}
      -- As in skipCancelled.
      where m.company_id = ${hideFromPlanner(companyId)} and m.id = any(array(select id from waiting))
      returning 1
    )
    select count(*) as n from released`);
  return rows[0]!.n;
}
