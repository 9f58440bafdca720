import type { Db, Queryable, Tx } from '../../../../db/pool.ts';
import { sql } from '../../../../db/sql.ts';
import { SENDING_ALLOWED } from '../../../../installation.ts';
import type { Correlation } from '../../../../lib/tracing/correlation.ts';
import type { RunEvent } from '../../engine/run.ts';

/** The first due call of each company, by one index lookup each. */
const FIRST_DUE = sql`first_due as (
  (select company_id, due_at from flow_webhook_calls where status = 'pending' order by company_id, due_at limit 1)
  union all
  select next.* from first_due cross join lateral (
    select company_id, due_at from flow_webhook_calls where status = 'pending' and company_id > first_due.company_id
    order by company_id, due_at limit 1) next
)`;

/** Companies that have calls to make now. */
export async function companiesWithCalls(db: Db, now: Date): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(
    sql`with recursive ${FIRST_DUE} select company_id from first_due where due_at <= ${now} and ${SENDING_ALLOWED}`,
  );
  return rows.map((row) => row.company_id);
}

/** When the next call comes due, in any company. */
export async function nextDueCall(db: Queryable): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(
    sql`with recursive ${FIRST_DUE} select min(due_at) as due_at from first_due`,
  );
  return rows[0]!.due_at;
}

/**
 * The lease of a call, in seconds of the database's clock: longer than a call can take. After it, another worker may claim
 * the call. `due_at` follows the process's clock, and only determines when to look again.
 */
const LEASE_SECONDS = 30;

/** A call that a worker has claimed until its lease expires. `epoch` fences its updates of the row. */
export interface ClaimedCall {
  id: number;
  flow_id: number;
  version: number;
  run_id: number;
  step_id: string;
  visit: number;
  attempts: number;
  epoch: number;
}

export function claimCalls(tx: Tx, companyId: number, claim: { now: Date; limit: number }): Promise<ClaimedCall[]> {
  return tx.query<ClaimedCall>(sql`
    with due as materialized (
      select id from flow_webhook_calls
      where company_id = ${companyId} and status = 'pending' and due_at <= ${claim.now}
        and (lease_until is null or lease_until < clock_timestamp())
      order by company_id, due_at limit ${claim.limit} for update skip locked
    )
    update flow_webhook_calls c set epoch = c.epoch + 1, attempts = c.attempts + 1,
      due_at = ${new Date(claim.now.getTime() + LEASE_SECONDS * 1_000)},
      lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    from due
    where c.company_id = ${companyId} and c.id = due.id
    returning c.id, c.flow_id, c.version, c.run_id, c.step_id, c.visit, c.attempts, c.epoch`);
}

/** The run that waits for a call, and whether it may be made. */
interface WaitingRun {
  contact_id: number;
  event: RunEvent | null;
  correlation: Correlation | null;
  vars: Record<string, unknown>;
  /** Whether the run is at the step, in the same visit. */
  waits: boolean;
  flow_status: string;
}

export async function findWaitingRun(
  db: Queryable,
  companyId: number,
  call: Pick<ClaimedCall, 'run_id' | 'step_id' | 'visit'>,
): Promise<WaitingRun | undefined> {
  const rows = await db.query<WaitingRun>(sql`
    select r.contact_id, r.event, r.correlation, r.state -> 'vars' as vars,
      r.status in ('active', 'paused') and r.step_id = ${call.step_id}
        and (r.state -> 'visits' ->> ${call.step_id}::text)::int = ${call.visit} as waits,
      case when f.deleted_at is null then f.status else 'archived' end as flow_status
    from flow_runs r join flows f on f.company_id = r.company_id and f.id = r.flow_id
    where r.company_id = ${companyId} and r.id = ${call.run_id}`);
  return rows[0];
}

/** Records the result of a call. Returns false and writes nothing if another worker has claimed the call since. */
export async function settleCall(
  tx: Tx,
  companyId: number,
  call: Pick<ClaimedCall, 'id' | 'epoch'>,
  settled: {
    status: 'pending' | 'done' | 'failed';
    attempts: number;
    dueAt: Date;
    responseStatus: number | null;
    error: string | null;
  },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update flow_webhook_calls
    set status = ${settled.status}, attempts = ${settled.attempts}, due_at = ${settled.dueAt},
      lease_until = null, response_status = ${settled.responseStatus}, error = ${settled.error}
    where company_id = ${companyId} and id = ${call.id} and epoch = ${call.epoch} and status = 'pending'
    returning 1`);
  return rows.length > 0;
}
