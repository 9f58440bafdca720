import type { Db, Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { allowSending, findHold } from '../../installation.ts';
import { markLostUnknown } from './failover-queries.ts';
import { UNTIL_RELEASED } from './message.ts';

/** The operator's decision on waiting messages of a restored database, which may have been sent since the backup. */
export type Waiting = 'unknown' | 'send';

export interface Confirmed {
  /** Messages marked unknown. */
  unknown: number;
  /** Campaigns paused. */
  paused: number;
}

/** The number of messages that wait to be sent. */
export async function countHeld(db: Db, companyIds: number[]): Promise<number> {
  const counts = await Promise.all(companyIds.map((companyId) => countWaiting(db, companyId)));
  return counts.reduce((sum, n) => sum + n, 0);
}

/**
 * Ends the restore hold. With `unknown`, messages that waited in the backup are marked `unknown` instead of being sent, as are
 * those of flows that continued meanwhile; campaigns due to start or with an incomplete audience are paused (`restored`).
 * Messages that people caused since the hold began are sent either way. After a failover that lost commits, only the messages that those
 * handed over are marked.
 */
export async function confirmSending(
  db: Db,
  companyIds: number[],
  confirm: { home: string; waiting: Waiting; now: Date },
): Promise<Confirmed> {
  const { home, waiting, now } = confirm;
  const confirmed: Confirmed = { unknown: 0, paused: 0 };
  const hold = await findHold(db);
  if (hold?.because === 'failover' && waiting === 'unknown') {
    for (const companyId of companyIds) confirmed.unknown += await markLostUnknown(db, companyId, now);
  } else if (hold !== null && waiting === 'unknown') {
    for (const companyId of companyIds) {
      confirmed.paused += await pauseRunning(db, companyId, now);
      for (let n = 1; n > 0; confirmed.unknown += n)
        n = await markWaitingUnknown(db, companyId, { since: hold.since, now });
    }
  }
  await allowSending(db, home);
  return confirmed;
}

async function countWaiting(db: Queryable, companyId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from messages m
    where m.company_id = ${companyId} and m.status = 'queued' and not exists (
      select 1 from message_claims c
      where c.company_id = m.company_id and c.message_id = m.id and c.step = 'handing_over')`);
  return rows[0]!.n;
}

/** Sets up to 10,000 waiting messages to unknown; call until it returns 0. Messages waiting for a winning variant or their batch are left out. */
async function markWaitingUnknown(db: Queryable, companyId: number, hold: { since: Date; now: Date }): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with waiting as materialized (
      select id from messages
      where company_id = ${companyId} and status = 'queued'
        and due_at < ${UNTIL_RELEASED} and (created_at < ${hold.since} or (origin = 'flow' and not transactional))
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
async function pauseRunning(db: Queryable, companyId: number, now: Date): Promise<number> {
  const rows = await db.query(sql`
    update campaigns set status = 'paused', reason = 'restored', updated_at = ${now}
    where company_id = ${companyId} and ((status = 'sending' and (recipients is null or exists (
        select 1 from messages m
        where m.company_id = campaigns.company_id and m.campaign_id = campaigns.id and m.status = 'queued'
          and m.due_at = ${UNTIL_RELEASED})))
      or (status = 'scheduled' and coalesce(first_zone_at, scheduled_at) <= ${now})) returning id`);
  return rows.length;
}
