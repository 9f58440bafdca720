import type { Tx } from '../db/pool.ts';
import { sql } from '../db/sql.ts';
import { lastOf } from './contact-queries.ts';
import { IMPERSONAL_FIELDS } from './impersonal.ts';

/* Erases data of customers, in slices as for contacts. Amounts, items, dates, country and state stay for accounting. */

export async function eraseOrders(tx: Tx, companyId: number, ids: number[], after: number): Promise<number | null> {
  return lastOf(
    tx.query(sql`
      with found as materialized (
        select id from orders where company_id = ${companyId} and customer_id = any(${ids}::bigint[]) and id > ${after}
        order by id limit 200
      ),
      emptied as (
        update orders o set shipping_address = '', shipping_city = '', shipping_zip = '', tracking_number = null, metadata = '{}'
        from found where o.company_id = ${companyId} and o.id = found.id
      ),
      notes as (
        update order_history h set message = null from found
        where h.company_id = ${companyId} and h.order_id = found.id and h.message is not null
      )
      select max(id) as id from found`),
  );
}

export async function eraseSubscriptions(
  tx: Tx,
  companyId: number,
  ids: number[],
  after: number,
): Promise<number | null> {
  return lastOf(
    tx.query(sql`
      with found as materialized (
        select id from subscriptions where company_id = ${companyId} and customer_id = any(${ids}::bigint[]) and id > ${after}
        order by id limit 200
      ),
      emptied as (
        update subscriptions s set shipping_address = '', shipping_city = '', shipping_zip = '', pause_reason = null,
          cancel_reason = case when cancel_reason is not null then 'customer_erased' end
        from found where s.company_id = ${companyId} and s.id = found.id
      ),
      notes as (
        update subscription_history h set message = null from found
        where h.company_id = ${companyId} and h.subscription_id = found.id and h.message is not null
      )
      select max(id) as id from found`),
  );
}

/** The points stay. Reasons of manual adjustments are free text, so they are erased. */
export async function eraseReasons(tx: Tx, companyId: number, ids: number[], after: number): Promise<number | null> {
  return lastOf(
    tx.query(sql`
      with found as materialized (
        select id, customer_id from loyalty_ledger
        where company_id = ${companyId} and customer_id = any(${ids}::bigint[]) and id > ${after} order by id limit 500
      ),
      emptied as (
        update loyalty_ledger l set reason = null from found
        where l.company_id = ${companyId} and l.customer_id = found.customer_id and l.id = found.id and l.reason is not null
      )
      select max(id) as id from found`),
  );
}

/** The `payload` without personal fields. */
const IMPERSONAL = sql`(
  select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(payload)
  where key = any(${IMPERSONAL_FIELDS}::text[]))`;

/** Empties outbox messages that are not delivered yet; there are few. */
export async function eraseWaitingEvents(tx: Tx, companyId: number, ids: number[]): Promise<void> {
  await tx.query(sql`
    update outbox set payload = ${IMPERSONAL}
    where company_id = ${companyId} and payload ->> 'customer_id' = any(${ids.map(String)}::text[])`);
}

/** Webhook deliveries about the customers. */
export async function eraseDeliveries(tx: Tx, companyId: number, ids: number[], after: number): Promise<number | null> {
  const parts = ids.map((id) => `%"customer_id":"${id}"%`);
  return lastOf(
    tx.query(sql`
      with looked as materialized (
        select id, body from webhook_deliveries where company_id = ${companyId} and id > ${after} order by id limit 1000
      ),
      found as materialized (select id from looked where body like any(${parts}::text[])),
      emptied as (
        update webhook_deliveries d set response_body = null, error = null,
          body = jsonb_set(d.body::jsonb, '{event_data}', (
            select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(d.body::jsonb -> 'event_data')
            where key = any(${IMPERSONAL_FIELDS}::text[])))::text
        from found where d.company_id = ${companyId} and d.id = found.id
      )
      select max(id) as id from looked`),
  );
}
