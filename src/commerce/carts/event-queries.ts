import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { DEFAULT_CHECKOUT } from '../shop.ts';
import { COLUMNS } from './queries.ts';
import type { CartRow } from './row.ts';

/** Returns the companies whose longest untouched cart may be abandoned. One index look-up finds the first cart of each company. */
export async function companiesWithUntouched(db: Queryable, now: Date): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    with recursive first_touched as (
      (select company_id, touched from carts where touched is not null order by company_id, touched limit 1)
      union all
      select next.* from first_touched cross join lateral (
        select company_id, touched from carts where touched is not null and company_id > first_touched.company_id
        order by company_id, touched limit 1) next
    )
    select f.company_id from first_touched f join companies c on c.company_id = f.company_id
    where f.touched <= ${now}::timestamptz - make_interval(mins =>
      coalesce((c.settings -> 'checkout' ->> 'abandoned_after_minutes')::int, ${DEFAULT_CHECKOUT.abandoned_after_minutes}))
    order by f.touched, f.company_id`);
  return rows.map((row) => row.company_id);
}

/** Locks carts that have not changed since `before`, the longest untouched first. Other processes skip them. */
export function takeUntouched(tx: Tx, companyId: number, before: Date, limit: number): Promise<CartRow[]> {
  return tx.query<CartRow>(sql`
    select ${COLUMNS} from carts
    where company_id = ${companyId} and touched <= ${before} and updated_at <= ${before}
    order by touched, id limit ${limit} for no key update skip locked`);
}

/** They count as abandoned until they change again. */
export async function markAbandoned(tx: Tx, companyId: number, ids: readonly number[]): Promise<void> {
  await tx.query(sql`
    update carts set abandoned_since = updated_at
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) and touched is not null`);
}

/** Returns each buyer's newest open cart with lines. */
export function findOpenCarts(
  db: Queryable,
  companyId: number,
  buyers: readonly { contactId: number; customerId: number | null; email: string | null }[],
): Promise<(CartRow & { contact_id: number })[]> {
  const open = sql`status = 'open' and origin in ('store', 'api') and lines <> '[]'`;
  return db.query<CartRow & { contact_id: number }>(sql`
    select b.contact_id, c.* from unnest(${buyers.map(({ contactId }) => contactId)}::bigint[],
      ${buyers.map(({ customerId }) => customerId)}::bigint[], ${buyers.map(({ email }) => email)}::text[])
      as b (contact_id, customer_id, email)
    cross join lateral (
      (select ${COLUMNS} from carts
        where company_id = ${companyId} and carts.customer_id = b.customer_id and ${open} order by id desc limit 1)
      union all
      (select ${COLUMNS} from carts
        where company_id = ${companyId} and carts.customer_id is null and carts.email = b.email and ${open}
        order by id desc limit 1)
      order by id desc limit 1) c`);
}

/** Returns the carts whose buyers have placed an order since the carts changed. */
export async function findOrderedSince(tx: Tx, companyId: number, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx.query<{ id: number }>(sql`
    select c.id from carts c
    join customers k on k.company_id = c.company_id
      and (k.id = c.customer_id or (c.customer_id is null and lower(k.email) = c.email))
    where c.company_id = ${companyId} and c.id = any(${[...ids]}::bigint[]) and exists (
      select from orders o
      where o.company_id = ${companyId} and o.customer_id = k.id and o.created_at >= c.updated_at)`);
  return new Set(rows.map((row) => row.id));
}
