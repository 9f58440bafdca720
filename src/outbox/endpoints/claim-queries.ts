import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { SENDING_ALLOWED } from '../../installation.ts';
import type { Correlation } from '../../lib/tracing/correlation.ts';
import type { DeliveryStatus } from './delivery-contract.ts';

/** The first pending delivery of each company, by one index probe each (a loose index scan). */
const FIRST_DUE = sql`first_due as (
  (select company_id, due_at from webhook_deliveries where status = 'pending' order by company_id, due_at limit 1)
  union all
  select next.* from first_due cross join lateral (
    select company_id, due_at from webhook_deliveries where status = 'pending' and company_id > first_due.company_id
    order by company_id, due_at limit 1) next
)`;

/** Companies with due deliveries, the longest due first. */
export async function companiesWithDeliveries(db: Queryable, now: Date): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    with recursive ${FIRST_DUE}
    select company_id from first_due where due_at <= ${now} and ${SENDING_ALLOWED} order by due_at, company_id`);
  return rows.map((row) => row.company_id);
}

export interface ClaimedDelivery {
  id: number;
  endpoint_id: number;
  message_id: string;
  body: string;
  correlation: Correlation | null;
  attempts: number;
  epoch: number;
  created_at: Date;
  give_up_at: Date;
  url: string;
  secret: Buffer;
}

/** Longer than the timeout of a request. */
const LEASE_SECONDS = 30;
/** Due deliveries of a company that one claim examines at most. */
const LOOKED_AT = 1_000;

/**
 * Claims due deliveries, at most one per endpoint and entity: the oldest one goes first. Deliveries behind one that waits for
 * its retry are postponed to that retry, so that they are not examined four times a second. A dead worker's delivery is
 * claimed again when its lease expires in the database's time, because the clocks of processes differ.
 */
export async function claimDeliveries(
  tx: Tx,
  companyId: number,
  claim: { now: Date; leaseUntil: Date; limit: number },
): Promise<ClaimedDelivery[]> {
  const lookedAt = sql`(
    select id, endpoint_id, entity, due_at from webhook_deliveries
    where company_id = ${companyId} and status = 'pending' and due_at <= ${claim.now}
    order by due_at, id limit ${LOOKED_AT}) l`;
  const older = sql`webhook_deliveries o
    where o.company_id = ${companyId} and o.endpoint_id = l.endpoint_id and o.entity = l.entity and o.status = 'pending'
      and o.id < l.id`;
  return tx.query<ClaimedDelivery>(sql`
    -- Materialized: evaluated again for each row of a join, it would return other rows each time.
    with due as materialized (
      select c.id from ${lookedAt} join webhook_deliveries c on c.company_id = ${companyId} and c.id = l.id
      -- One index probe per row, also without statistics: a plain "not exists" scanned the table for each row.
      left join lateral (select o.id from ${older} order by o.id limit 1) o on true
      where c.status = 'pending' and c.due_at <= ${claim.now} and o.id is null
        and (c.lease_until is null or c.lease_until < clock_timestamp())
      order by l.due_at, l.id limit ${claim.limit} for update of c skip locked
    ),
    late as materialized (
      select c.id, o.due_at from ${lookedAt} join webhook_deliveries c on c.company_id = ${companyId} and c.id = l.id
      cross join lateral (select due_at, lease_until from ${older} order by o.id limit 1) o
      where (select count(*) from due) < ${claim.limit} and c.status = 'pending' and c.due_at <= ${claim.now}
        and o.due_at > ${claim.now} and o.lease_until is null
      for update of c skip locked
    ),
    put_off as (
      update webhook_deliveries d set due_at = late.due_at from late
      where d.company_id = ${companyId} and d.id = late.id
    )
    update webhook_deliveries d
    set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), due_at = ${claim.leaseUntil}, epoch = d.epoch + 1, attempts = d.attempts + 1
    from due, webhook_endpoints w
    where w.company_id = ${companyId} and w.id = d.endpoint_id and d.company_id = ${companyId} and d.id = due.id
    returning d.id, d.endpoint_id, d.message_id, d.body, d.correlation, d.attempts, d.epoch, d.created_at, d.give_up_at, w.url, w.secret`);
}

export interface Settlement {
  status: DeliveryStatus;
  dueAt: Date;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
  finishedAt: Date | null;
}

/** Records the result of an attempt. Returns false where another worker has claimed the delivery since. */
export async function settleDelivery(
  tx: Tx,
  companyId: number,
  claimed: { id: number; epoch: number },
  s: Settlement,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update webhook_deliveries set status = ${s.status}, due_at = ${s.dueAt}, lease_until = null,
      response_status = ${s.responseStatus}, response_body = ${s.responseBody}, error = ${s.error},
      finished_at = ${s.finishedAt}
    where company_id = ${companyId} and id = ${claimed.id} and epoch = ${claimed.epoch} and status = 'pending'
    returning 1`);
  return rows.length > 0;
}

/** When the next delivery after `now` is due, in any company. */
export async function nextDue(db: Queryable, now: Date): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(sql`
    with recursive ${FIRST_DUE}
    select min(next.due_at) as due_at from first_due cross join lateral (
      select due_at from webhook_deliveries d
      where d.company_id = first_due.company_id and d.status = 'pending' and d.due_at > ${now}
      order by d.due_at limit 1) next`);
  return rows[0]!.due_at;
}
