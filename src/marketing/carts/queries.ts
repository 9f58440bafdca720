import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** Days after which an abandoned cart no longer counts. */
const DAYS = 30;
/** How many of a contact's newest events are scanned. */
const MOST_EVENTS = 200;

/** A contact, as the shop's carts name it. */
export interface Buyer {
  contact_id: number;
  email: string | null;
  external_id: string | null;
}

export async function findBuyers(db: Queryable, companyId: number, contactIds: number[]): Promise<Buyer[]> {
  return db.query<Buyer>(sql`
    select id as contact_id, email, external_id from contacts
    where company_id = ${companyId} and id = any(${contactIds}::bigint[])`);
}

export interface CartRow {
  contact_id: number;
  data: Record<string, unknown>;
}

/** The data of the latest cart event of each contact, unless an order occurred with it or later. */
export async function findOpenCarts(
  db: Queryable,
  companyId: number,
  contactIds: number[],
  now: Date,
): Promise<CartRow[]> {
  const since = new Date(now.getTime() - DAYS * 86_400_000);
  return db.query<CartRow>(sql`
    select t.id as contact_id, newest.data
    from unnest(${contactIds}::bigint[]) as t (id)
    cross join lateral (
      select event_type, data from (
        select event_id, event_type, occurred_at, data from events
        where company_id = ${companyId} and contact_id = t.id and received_at >= ${since}
        order by event_id desc limit ${MOST_EVENTS}
      ) e
      where event_type in ('cart_abandoned', 'cart_updated', 'order_placed') and occurred_at >= ${since}
      order by occurred_at desc, event_type = 'order_placed' desc, event_id desc limit 1
    ) newest
    where newest.event_type <> 'order_placed'`);
}
