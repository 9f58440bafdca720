import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** Counts what needs attention, by kind, up to a maximum for each. */
export async function countAttention(
  db: Queryable,
  companyId: number,
  { waitingSince, endsBefore, atMost }: { waitingSince: Date; endsBefore: Date; atMost: number },
): Promise<Record<string, number>> {
  const rows = await db.query<Record<string, number>>(sql`
    select
      (select count(*) from (
        select created_at from orders where company_id = ${companyId} and status = 'pending' order by id limit ${atMost}
      ) oldest where created_at < ${waitingSince}) as orders_waiting,
      (select count(*) from (
        select from order_balances where company_id = ${companyId} and charged > paid - refunded limit ${atMost}) few
      ) as orders_unpaid,
      (select count(*) from (
        select from order_balances where company_id = ${companyId} and charged < paid - refunded limit ${atMost}) few
      ) as orders_to_pay_back,
      (select count(*) from (
        (select from payments where company_id = ${companyId} and attention is not null limit ${atMost})
        union all
        (select from payments
        where company_id = ${companyId} and status = 'authorized' and authorized_until < ${endsBefore} and attention is null
        limit ${atMost})
        limit ${atMost}) few
      ) as payments_to_check,
      (select count(*) from (
        select from subscriptions where company_id = ${companyId} and status = 'past_due' limit ${atMost}) few
      ) as subscriptions_past_due,
      (select count(*) from (
        select from messages where company_id = ${companyId} and status = 'unknown' limit ${atMost}) few
      ) as messages_unknown,
      (select count(*) from (
        select from webhook_deliveries where company_id = ${companyId} and status = 'failed' limit ${atMost}) few
      ) as deliveries_failed,
      (select count(*) from (
        select from outbox_refusals where company_id = ${companyId} limit ${atMost}) few) as events_refused`);
  return rows[0]!;
}
