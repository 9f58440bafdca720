import type { Queryable } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { Channel, MessageStatus } from '../../messaging/ledger/message.ts';

export interface MessageRow {
  message_id: number;
  channel: Channel;
  status: MessageStatus;
  reason: string | null;
  origin: 'flow' | 'campaign' | 'system';
  origin_id: number | null;
  title: string | null;
  at: Date;
}

const MESSAGE = rawSql(`m.id as message_id, m.channel, m.status, m.reason, m.origin,
  coalesce(m.campaign_id, m.flow_id) as origin_id, coalesce(k.name, f.name) as title,
  coalesce(m.handed_over_at, m.created_at) as at`);
const SENT_BY = rawSql(`left join campaigns k on k.company_id = m.company_id and k.id = m.campaign_id
  left join flows f on f.company_id = m.company_id and f.id = m.flow_id`);

/** Returns the customer's e-mail address; undefined for an unknown customer. */
export async function findEmail(
  db: Queryable,
  companyId: number,
  customerId: number,
): Promise<{ email: string } | undefined> {
  const rows = await db.query<{ email: string }>(sql`
    select coalesce(email, '') as email from customers
    where company_id = ${companyId} and id = ${customerId} and erased_at is null`);
  return rows[0];
}

/**
 * Returns the customer of a contact, the reverse of `findContactsOfCustomer`: by the external id, otherwise by the e-mail address; undefined
 * for an unknown contact.
 */
export async function findCustomerOfContact(
  db: Queryable,
  companyId: number,
  contactId: number,
): Promise<{ customer_id: number | null } | undefined> {
  const rows = await db.query<{ customer_id: number | null }>(sql`
    select case
      when c.external_id is null then (
        select u.id from customers u
        where u.company_id = c.company_id and lower(u.email) = lower(c.email) and u.erased_at is null)
      when c.external_id ~ '^[1-9][0-9]{0,17}$' then (
        select u.id from customers u
        where u.company_id = c.company_id and u.id = c.external_id::bigint and u.erased_at is null)
      end as customer_id
    from contacts c where c.company_id = ${companyId} and c.id = ${contactId}`);
  return rows[0];
}

export function findCustomerNames(
  db: Queryable,
  companyId: number,
  ids: readonly number[],
): Promise<{ id: number; name: string; email: string }[]> {
  return db.query(sql`
    select id, trim(first_name || ' ' || last_name) as name, coalesce(email, '') as email from customers
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) and erased_at is null order by id`);
}

export async function countMessages(db: Queryable, companyId: number, contactId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from messages where company_id = ${companyId} and contact_id = ${contactId}`);
  return rows[0]!.n;
}

export function listMessages(
  db: Queryable,
  companyId: number,
  contactId: number,
  page: PageBounds,
): Promise<MessageRow[]> {
  return db.query<MessageRow>(sql`
    select ${MESSAGE} from (
      select * from ledger where company_id = ${companyId} and contact_id = ${contactId}
      order by id desc offset ${page.skip} limit ${page.take}
    ) m ${SENT_BY} order by m.id desc`);
}

/** How many of a contact's messages since the order was placed are examined. */
const LOOKED_AT = 2_000;

/** Returns messages to the contact from flow runs that an event of the order started. */
export function listMessagesOfOrder(
  db: Queryable,
  companyId: number,
  { contactId, orderId, placedAt }: { contactId: number; orderId: number; placedAt: Date },
  limit: number,
): Promise<MessageRow[]> {
  return db.query<MessageRow>(sql`
    with latest as materialized (
      select * from ledger where company_id = ${companyId} and contact_id = ${contactId}
      order by id desc limit ${LOOKED_AT}
    )
    select ${MESSAGE} from latest m
    join flow_runs r on r.company_id = m.company_id and r.id = m.run_id
    ${SENT_BY}
    where m.created_at >= ${placedAt} and r.event -> 'data' ->> 'order_id' = ${String(orderId)}
    order by m.id desc limit ${limit}`);
}

export interface OrderRow {
  customer_id: number;
  created_at: Date;
}

export async function findOrder(db: Queryable, companyId: number, id: number): Promise<OrderRow | undefined> {
  const rows = await db.query<OrderRow>(sql`
    select customer_id, created_at from orders where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

export interface EntryRow {
  kind: 'cart' | 'history' | 'points' | 'note';
  id: number;
  at: Date;
  type: string;
  from: string | null;
  to: string | null;
  points: number | null;
  text: string | null;
  actor: string | null;
  actor_name: string | null;
}

/** Returns the latest entries of each kind. */
export function listEntriesOfOrder(
  db: Queryable,
  companyId: number,
  orderId: number,
  limit: number,
): Promise<EntryRow[]> {
  return db.query<EntryRow>(sql`
    select e.kind, e.id, e.at, e.type, e."from", e."to", e.points, e.text, e.actor, coalesce(e.actor_name, p.name) as actor_name
    from (
      (select 'history' as kind, id, created_at as at, type, from_status as "from", to_status as "to",
         null::bigint as points, message as text, actor, null as actor_name
       from order_history where company_id = ${companyId} and order_id = ${orderId} order by id desc limit ${limit})
      union all
      (select 'points', id, created_at, type, null, null, points, reason, actor, null
       from loyalty_ledger where company_id = ${companyId} and order_id = ${orderId} order by id desc limit ${limit})
      union all
      (select 'note', id, created_at, 'note', null, null, null, text, actor, actor_name
       from notes where company_id = ${companyId} and order_id = ${orderId} order by id desc limit ${limit})
      union all
      (select 'cart', step.id, step.at, step.type, null, null, null, step.text, null, null
       from orders o join carts c on c.company_id = o.company_id and c.id = o.cart_id
       cross join lateral (
         select c.id, c.created_at as at, 'created' as type, null as text
         union all
         select c.id, c.checkout_started_at, 'checkout_started', null where c.checkout_started_at is not null
         union all
         select id, created_at, 'paying', label from payments
         where company_id = ${companyId} and order_id = ${orderId} and cart_id = c.id and created_at < o.created_at) step
       where o.company_id = ${companyId} and o.id = ${orderId})
    ) e
    left join members m on m.company_id = ${companyId} and e.actor = 'admin:' || m.person_id
    left join persons p on p.id = m.person_id`);
}
