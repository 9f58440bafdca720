import { hideFromPlanner } from '../../../db/planner-hints.ts';
import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { UNTIL_RELEASED } from '../../../messaging/ledger/message.ts';
import type { CampaignRef } from '../campaign-ref.ts';

/** Campaigns of all companies whose A/B test has ended but has no winner yet. */
export function findUndecided(db: Queryable, now: Date): Promise<CampaignRef[]> {
  return db.query<CampaignRef>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status = 'sending' and k.ab_test is not null and k.winner is null and k.recipients is not null
      and k.started_at + make_interval(hours => (k.ab_test ->> 'hours')::int) <= ${now}
    order by k.company_id, k.id`);
}

/** Campaigns of all companies with a winner that some messages still wait for. */
export function findWaiting(db: Queryable): Promise<CampaignRef[]> {
  return db.query<CampaignRef>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status in ('sending', 'paused') and k.winner is not null and exists (
      select 1 from messages m where m.company_id = k.company_id and m.campaign_id = k.id and m.status = 'queued'
        and m.due_at = ${UNTIL_RELEASED})
    order by k.company_id, k.id`);
}

/** Assigns the winner to up to `limit` waiting messages; returns how many. */
export async function giveWinner(
  db: Queryable,
  companyId: number,
  id: number,
  give: { limit: number; now: Date },
): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with waiting as materialized (
      select id from messages
      where company_id = ${hideFromPlanner(companyId)} and campaign_id = ${id} and status = 'queued' and due_at = ${UNTIL_RELEASED}
      limit ${give.limit} for update skip locked
    ),
    given as (
      update messages m set variant = k.winner, due_at = ${give.now}
      from campaigns k
      -- As in skipCancelled.
      where m.company_id = ${hideFromPlanner(companyId)} and m.id = any(array(select id from waiting))
        and k.company_id = ${companyId} and k.id = ${id}
      returning 1
    )
    select count(*) as n from given`);
  return rows[0]!.n;
}
