import type { Clock } from '../../clock.ts';
import type { Queryable } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import type { Slice } from '../../lib/slice.ts';
import { type DueTimeRepair, repairDueTimes } from '../../work/due-time-repair.ts';

/**
 * What a message waits for at most: the end of quiet hours, on a day of 25 hours. Retries, domains in a back-off and paused flows
 * take less, and all messages are due when they are queued; those held for a setting or a winner are due at moments of
 * their own, beyond all years.
 */
const LONGEST_MS = 25 * 3_600_000;
/** Between the first time zone to reach an hour and the last (see marketing/campaigns/time-zones/local-time.ts), and the wait above. */
const ZONES = rawSql("interval '51 hours'");
const BEYOND_ALL_YEARS = new Date(Date.UTC(9998, 0, 1));

/** Messages that were scheduled while the clock was ahead. */
export function repairMessageDueTimes(db: Queryable, clock: Clock): Slice<true> {
  return repairDueTimes(clock, LONGEST_MS, async (of) => {
    const [own, ofCampaigns] = await Promise.all([makeDue(db, of), makeDueOfCampaigns(db, of)]);
    return Math.max(own, ofCampaigns);
  });
}

/** One look into the index for each company and lane. */
async function makeDue(db: Queryable, { now, latest, limit }: DueTimeRepair): Promise<number> {
  const rows = await db.query(sql`
    with far as materialized (
      select m.company_id, m.id from companies c cross join (values (0), (1)) as l (lane) cross join lateral (
        select company_id, id from messages
        where company_id = c.company_id and lane = l.lane and status = 'queued' and campaign_id is null
          and due_at > ${latest} and due_at < ${BEYOND_ALL_YEARS}
        order by due_at, id limit ${limit}
      ) m limit ${limit}
    )
    update messages m set due_at = ${now}, wanted_at = least(m.wanted_at, ${now}) from far
    where m.company_id = far.company_id and m.id = far.id and m.status = 'queued' and m.due_at > ${latest}
      and m.due_at < ${BEYOND_ALL_YEARS}
    returning 1`);
  return rows.length;
}

/**
 * Of campaigns that are being sent, each by one look into theirs: a paused one is gone through when it goes on. One that is sent by
 * each contact's clock waits for the last time zone, and then for the end of quiet hours.
 */
async function makeDueOfCampaigns(db: Queryable, { now, latest, limit }: DueTimeRepair): Promise<number> {
  const rows = await db.query(sql`
    with far as materialized (
      select m.company_id, m.id from campaigns k cross join lateral (
        select company_id, id from messages
        where company_id = k.company_id and campaign_id = k.id and status = 'queued'
          and due_at > greatest(${latest}, k.first_zone_at + ${ZONES}) and due_at < ${BEYOND_ALL_YEARS}
        order by due_at, id limit ${limit}
      ) m where k.status = 'sending' limit ${limit}
    )
    update messages m set due_at = ${now}, wanted_at = least(m.wanted_at, ${now}) from far
    where m.company_id = far.company_id and m.id = far.id and m.status = 'queued' and m.due_at > ${latest}
      and m.due_at < ${BEYOND_ALL_YEARS}
    returning 1`);
  return rows.length;
}
