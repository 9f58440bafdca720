import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { ZONES_HOURS } from '../time-zones/local-time.ts';

export interface PlacedOrder {
  contactId: number;
  occurredAt: Date;
  /** Minor units. */
  amount: number;
}

/**
 * Counts each order, by the contact's group, for every campaign with a hold-out group in whose window it was placed: `days` from the
 * campaign's start, the same for both groups. The caller must pass each order exactly once.
 */
export async function countOrders(tx: Tx, companyId: number, orders: PlacedOrder[], days: number): Promise<void> {
  await tx.query(sql`
    insert into counter_deltas (company_id, counter, key, n)
    select ${companyId}, 'campaign-hold-out:' || k.id, counted.key, sum(counted.n)
    from unnest(${orders.map((o) => o.contactId)}::bigint[], ${orders.map((o) => o.occurredAt)}::timestamptz[],
      ${orders.map((o) => o.amount)}::bigint[]) as o (contact_id, at, amount)
    join campaigns k on k.company_id = ${companyId} and k.holdout_percent > 0 and k.started_at <= o.at
      and o.at < k.started_at
        + make_interval(days => ${days}, hours => case when k.first_zone_at is null then 0 else ${ZONES_HOURS}::int end)
    cross join lateral (
      select case
        when exists (
          select from campaign_hold_outs h
          where h.company_id = ${companyId} and h.campaign_id = k.id and h.contact_id = o.contact_id) then 'held_out'
        -- By contact, whatever the statistics say: a campaign has a million messages, a contact hundreds.
        when exists (
          select from messages m
          where m.company_id = ${companyId} and m.contact_id = o.contact_id and (m.campaign_id = k.id) is true) then 'messaged'
        end as name
    ) of_it
    cross join lateral (values ('orders:' || of_it.name, 1::bigint), ('revenue:' || of_it.name, o.amount)) as counted (key, n)
    where of_it.name is not null
    group by k.id, counted.key`);
}

/** `orders:held_out`, `revenue:messaged` and so on; revenue in minor units. */
export async function findOrders(db: Queryable, companyId: number, campaignId: number): Promise<Map<string, number>> {
  const rows = await db.query<{ key: string; n: number }>(sql`
    select key, sum(n)::bigint as n from counters
    where company_id = ${companyId} and counter = ${`campaign-hold-out:${campaignId}`} group by key`);
  return new Map(rows.map(({ key, n }) => [key, n]));
}
