import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { UNTIL_WINNER } from './message.ts';

export async function countWaiting(db: Queryable, companyId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from messages m
    where m.company_id = ${companyId} and m.status = 'queued' and not exists (
      select 1 from message_claims c
      where c.company_id = m.company_id and c.message_id = m.id and c.step = 'handing_over')`);
  return rows[0]!.n;
}

/** Sets up to 10,000 waiting messages to unknown; call until it returns 0. Messages waiting for a winning variant are left out. */
export async function markWaitingUnknown(
  db: Queryable,
  companyId: number,
  hold: { since: Date; now: Date },
): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with waiting as materialized (
      select id from messages
      where company_id = ${companyId} and status = 'queued'
        and due_at < ${UNTIL_WINNER} and (created_at < ${hold.since} or (origin = 'flow' and not transactional))
      limit 10000 for update
    ),
    released as (
      delete from message_claims c using waiting where c.company_id = ${companyId} and c.message_id = waiting.id
    ),
    marked as (
      update messages m set status = 'unknown', reason = 'restored', ended_at = ${hold.now}
      from waiting where m.company_id = ${companyId} and m.id = waiting.id returning 1
    )
    select count(*) as n from marked`);
  return rows[0]!.n;
}

/** Pauses campaigns that would otherwise send again to recipients that may have received them. */
export async function pauseRunning(db: Queryable, companyId: number, now: Date): Promise<number> {
  const rows = await db.query(sql`
    update campaigns set status = 'paused', reason = 'restored', updated_at = ${now}
    where company_id = ${companyId} and ((status = 'sending' and (recipients is null or exists (
        select 1 from messages m
        where m.company_id = campaigns.company_id and m.campaign_id = campaigns.id and m.status = 'queued'
          and m.due_at = ${UNTIL_WINNER})))
      or (status = 'scheduled' and coalesce(first_zone_at, scheduled_at) <= ${now})) returning id`);
  return rows.length;
}
