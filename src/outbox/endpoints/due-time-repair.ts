import { CLOCK_SKEW_MS, type Clock } from '../../clock.ts';
import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Slice } from '../../lib/slice.ts';
import { type DueTimeRepair, repairDueTimes } from '../../work/due-time-repair.ts';
import { RETRIED_FOR_MS } from './queue-deliveries.ts';
import { LONGEST_RETRY_MS } from './worker.ts';

/** Repairs due times and failure times that were written while a clock was ahead. */
export function repairDeliveryDueTimes(db: Queryable, clock: Clock): Slice<true> {
  return repairDueTimes(clock, LONGEST_RETRY_MS, async (of) => {
    await repairFailureDueTimes(db, of.now);
    return makeDue(db, of);
  });
}

/** Makes deliveries due now, by one index probe per company, and retries them for a day like replayed ones. */
async function makeDue(db: Queryable, { now, latest, limit }: DueTimeRepair): Promise<number> {
  const rows = await db.query(sql`
    with far as materialized (
      select d.company_id, d.id from companies c cross join lateral (
        select company_id, id from webhook_deliveries
        where company_id = c.company_id and status = 'pending' and due_at > ${latest}
        order by due_at, id limit ${limit}
      ) d limit ${limit}
    )
    update webhook_deliveries d
    set due_at = ${now}, give_up_at = least(d.give_up_at, ${new Date(now.getTime() + RETRIED_FOR_MS)})
    from far where d.company_id = far.company_id and d.id = far.id and d.status = 'pending' and d.due_at > ${latest}
    returning 1`);
  return rows.length;
}

/** An endpoint failing since a time in the future would be disabled too late. */
async function repairFailureDueTimes(db: Queryable, now: Date): Promise<void> {
  await db.query(sql`
    update webhook_endpoints set failing_since = ${now}
    where failing_since > ${new Date(now.getTime() + CLOCK_SKEW_MS)}`);
}
