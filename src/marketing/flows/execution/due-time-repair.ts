import type { Clock } from '../../../clock.ts';
import type { Queryable } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';
import type { Slice } from '../../../lib/slice.ts';
import { type DueTimeRepair, repairDueTimes } from '../../../work/due-time-repair.ts';
import { LONGEST_DELAY_MS } from './attempts.ts';
import { LONGEST_RETRY_SECONDS } from './webhooks/request.ts';

/** Makes webhook calls due that were postponed too far because a process's clock was ahead. */
export function repairCallDueTimes(db: Queryable, clock: Clock): Slice<true> {
  return repairDueTimes(clock, LONGEST_RETRY_SECONDS * 1_000, (of) => makeCallsDue(db, of));
}

/** The same for tasks and for events of steps. Delays of runs are not repaired: users configure them, without a maximum. */
export function repairAttemptDueTimes(db: Queryable, clock: Clock): Slice<true> {
  return repairDueTimes(clock, LONGEST_DELAY_MS, async (of) => {
    const [tasks, emissions] = await Promise.all([
      makeAttemptsDue(db, 'flow_tasks', of),
      makeAttemptsDue(db, 'flow_emissions', of),
    ]);
    return Math.max(tasks, emissions);
  });
}

/** Costs one index lookup per company. */
async function makeCallsDue(db: Queryable, { now, latest, limit }: DueTimeRepair): Promise<number> {
  const rows = await db.query(sql`
    with far as materialized (
      select w.company_id, w.id from companies c cross join lateral (
        select company_id, id from flow_webhook_calls
        where company_id = c.company_id and status = 'pending' and due_at > ${latest}
        order by due_at limit ${limit}
      ) w limit ${limit}
    )
    update flow_webhook_calls w set due_at = ${now} from far
    where w.company_id = far.company_id and w.id = far.id and w.status = 'pending' and w.due_at > ${latest}
    returning 1`);
  return rows.length;
}

/** These tables are short: their rows are deleted when they are done. */
async function makeAttemptsDue(
  db: Queryable,
  table: 'flow_tasks' | 'flow_emissions',
  { now, latest, limit }: DueTimeRepair,
): Promise<number> {
  const rows = await db.query(sql`
    update ${rawSql(table)} set due_at = ${now} where ctid = any(array(
      select ctid from ${rawSql(table)} where due_at > ${latest} limit ${limit} for update skip locked))
    returning 1`);
  return rows.length;
}
