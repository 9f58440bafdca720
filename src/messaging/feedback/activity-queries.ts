import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface Activity {
  messageId: number;
  type:
    | 'refused'
    | 'bounced'
    | 'complained'
    | 'unsubscribed'
    | 'opened'
    | 'machine_opened'
    | 'clicked'
    | 'link_clicked';
  /** Distinguishes activities of one type: the link's id. */
  reference?: number;
}

/**
 * Records activity of messages that were sent or are being handed over, each type once; opens and clicks also with their last
 * time. Activity of an unknown message proves that it was sent.
 */
export async function insertActivity(tx: Tx, companyId: number, activities: Activity[], now: Date): Promise<void> {
  const ids = sql`${activities.map((a) => a.messageId)}::bigint[]`;
  const open = await tx.query<{ id: number }>(sql`
    with on_its_way as materialized (
      -- A recipient may open a message before the server's response arrives. The settling transaction waits for this lock and
      -- sees the activity, or is waited for here.
      select m.id from messages m
      where m.company_id = ${companyId} and m.id = any(${ids}) and exists (
        select 1 from message_claims c
        where c.company_id = ${companyId} and c.message_id = m.id and c.step = 'handing_over')
      order by m.id for share
    ),
    noted as (
      insert into message_activity (company_id, message_id, type, reference, contact_id, created_at)
      select distinct ${companyId}::bigint, m.id, v.type, v.reference, m.contact_id, ${now}::timestamptz
      from unnest(${ids}, ${activities.map((a) => a.type)}::text[],
        ${activities.map((a) => a.reference ?? 0)}::bigint[]) as v (message_id, type, reference)
      join messages m on m.company_id = ${companyId} and m.id = v.message_id
      where m.handed_over_at is not null or m.id in (select id from on_its_way)
      order by m.id, v.type, v.reference
      on conflict (company_id, message_id, type, reference) do update set last_at = excluded.created_at
      where message_activity.type in ('opened', 'clicked')
    )
    select id from on_its_way
    union all
    select m.id from messages m where m.company_id = ${companyId} and m.id = any(${ids}) and m.status = 'unknown'`);
  const maybeUnknown = open.map((one) => one.id);
  if (maybeUnknown.length > 0) await resolveUnknown(tx, companyId, maybeUnknown, now);
}

/** Records unknown messages with activity as sent: an open, a click or a bounce proves the delivery. */
export async function resolveUnknown(tx: Tx, companyId: number, ids: number[], now: Date): Promise<void> {
  await tx.query(sql`
    with arrived as (
      update messages m set status = 'sent', reason = 'noticed', ended_at = ${now}
      where m.company_id = ${companyId} and m.id = any(${ids}::bigint[]) and m.status = 'unknown' and exists (
        select 1 from message_activity a
        where a.company_id = ${companyId} and a.message_id = m.id and a.type <> 'refused')
      returning m.flow_id, m.step_id
    )
    -- As flows count what was sent (see flows/report/stats.ts), in the same statement as the message.
    insert into counter_deltas (company_id, counter, key, n)
    select ${companyId}, 'flow:' || a.flow_id || ':' || c.at_step, 'sent', count(*)
    from arrived a cross join lateral (values (''), (a.step_id)) c (at_step)
    where a.flow_id is not null group by a.flow_id, c.at_step`);
}

/** The target of a link: a URL, or the prefix of URLs whose rest is in the link. */
export interface Link {
  url: string;
  prefix: string | null;
}

export async function findLink(db: Queryable, companyId: number, id: number): Promise<Link | null> {
  const rows = await db.query<Link>(sql`
    select url, prefix from tracked_links where company_id = ${companyId} and id = ${id}`);
  return rows[0] ?? null;
}

export interface AttributedOrder {
  eventId: number;
  contactId: number;
  occurredAt: Date;
  /** Minor units. */
  amount: number;
}

/** Attributes each order once: to the message of the contact's last click before it, else of the last open. */
export async function attributeOrders(
  db: Queryable,
  companyId: number,
  orders: AttributedOrder[],
  window: { days: number; now: Date },
): Promise<void> {
  await db.query(sql`
    insert into message_activity (company_id, message_id, type, reference, contact_id, amount, created_at)
    select ${companyId}, a.message_id, 'converted', o.event_id, o.contact_id, o.amount, ${window.now}
    from unnest(${orders.map((o) => o.eventId)}::bigint[], ${orders.map((o) => o.contactId)}::bigint[],
      ${orders.map((o) => o.occurredAt)}::timestamptz[], ${orders.map((o) => o.amount)}::bigint[])
      as o (event_id, contact_id, at, amount), lateral (
      select a.message_id
      from message_activity a, lateral (
        -- Of an order that is told late, the last one may lie behind it.
        select case when a.last_at <= o.at then a.last_at else a.created_at end as at) latest
      where a.company_id = ${companyId} and a.contact_id = o.contact_id and a.type in ('opened', 'clicked')
        and a.created_at <= o.at and latest.at > o.at - make_interval(days => ${window.days})
      order by a.type = 'clicked' desc, latest.at desc, a.message_id desc limit 1
    ) a
    on conflict (company_id, message_id, type, reference) do nothing`);
}

export interface AttributedRefund {
  eventId: number;
  contactId: number;
  orderId: string;
  /** Minor units; below 0, money has returned. */
  amount: number;
}

/**
 * Takes what was given back of orders from the message that each was attributed to, at the time of the order. Ignores orders that no message
 * led to, and those whose event was removed for its age.
 */
export async function attributeRefunds(db: Queryable, companyId: number, refunds: AttributedRefund[]): Promise<void> {
  await db.query(sql`
    insert into message_activity (company_id, message_id, type, reference, contact_id, amount, created_at)
    select ${companyId}, a.message_id, 'refunded', r.event_id, a.contact_id, r.amount, a.created_at
    from unnest(${refunds.map((r) => r.eventId)}::bigint[], ${refunds.map((r) => r.contactId)}::bigint[],
      ${refunds.map((r) => r.orderId)}::text[], ${refunds.map((r) => r.amount)}::bigint[])
      as r (event_id, contact_id, order_id, amount)
    cross join lateral (
      select e.event_id from events e
      where e.company_id = ${companyId} and e.contact_id = r.contact_id and e.event_type = 'order_placed'
        and e.data ->> 'order_id' = r.order_id
      order by e.event_id limit 1
    ) placed
    -- By contact: one has hundreds of messages.
    cross join lateral (
      select a.message_id, a.contact_id, a.created_at
      from messages m
      join message_activity a on a.company_id = ${companyId} and a.message_id = m.id and a.type = 'converted'
        and a.reference = placed.event_id
      where m.company_id = ${companyId} and m.contact_id = r.contact_id limit 1
    ) a
    on conflict (company_id, message_id, type, reference) do nothing`);
}
