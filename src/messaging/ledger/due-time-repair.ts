import type { Clock } from '../../clock.ts';
import type { Queryable } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import type { Slice } from '../../lib/slice.ts';
import { type DueTimeRepair, repairDueTimes } from '../../work/due-time-repair.ts';

/**
 * The longest that a message waits: until the end of quiet hours, on a day of 25 hours. Retries, domain back-offs and paused flows wait
 * less, and every message is due when it is queued. Messages held for a setting, a winner or a batch have special due times beyond all years.
 */
const LONGEST_MS = 25 * 3_600_000;
/**
 * The time between the first and the last time zone to reach an hour (see marketing/campaigns/time-zones/local-time.ts), plus the wait
 * above.
 */
const ZONES = rawSql("interval '51 hours'");
const BEYOND_ALL_YEARS = new Date(Date.UTC(9998, 0, 1));

/** Makes messages due that were scheduled while the clock was ahead. */
export function repairMessageDueTimes(db: Queryable, clock: Clock): Slice<true> {
  return repairDueTimes(clock, LONGEST_MS, async (of) => {
    const [own, ofCampaigns] = await Promise.all([makeDue(db, of), makeDueOfCampaigns(db, of)]);
    return Math.max(own, ofCampaigns);
  });
}

/** One index probe per company and lane. */
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
 * Campaigns that are being sent, one index probe each; a paused one is checked when it resumes. A campaign sent by each contact's local
 * time waits for the last time zone, and then for the end of quiet hours.
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
