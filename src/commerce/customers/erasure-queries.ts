import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** The keys by which the rest of an erased customer's data is found. */
export interface ErasedCustomer {
  email: string | null;
  phone: string | null;
}

/** Empties the customer's row and keeps its id. Undefined for an unknown customer, or one erased before. */
export async function anonymiseCustomer(
  tx: Tx,
  companyId: number,
  id: number,
  now: Date,
): Promise<ErasedCustomer | undefined> {
  // Selected first, because RETURNING of an UPDATE returns the new values.
  const rows = await tx.query<ErasedCustomer>(sql`
    with customer as materialized (
      select id, email, phone from customers
      where company_id = ${companyId} and id = ${id} and erased_at is null for update
    ),
    emptied as (
      update customers c set email = null, first_name = '', last_name = '', phone = null, password_hash = null,
        account = 'none', email_verified_at = null, accepts_marketing = false, address = null, city = null, state = null, zip = null, country = null, metadata = '{}',
        custom = '{}', search = '', erased_at = ${now}, updated_at = ${now}
      from customer where c.company_id = ${companyId} and c.id = customer.id
    ),
    forgotten as (
      delete from password_attempts a using customer where a.company_id = ${companyId} and a.customer_id = customer.id
    ),
    signed_out as (
      delete from customer_sessions s using customer where s.company_id = ${companyId} and s.customer_id = customer.id
    ),
    passkeys as (
      delete from customer_passkeys p using customer where p.company_id = ${companyId} and p.customer_id = customer.id
    ),
    codes as (
      delete from customer_codes o using customer
      where o.company_id = ${companyId} and (o.customer_id = customer.id or o.email = lower(customer.email))
    ),
    addresses as (
      delete from customer_addresses a using customer where a.company_id = ${companyId} and a.customer_id = customer.id
    )
    select email, phone from customer`);
  return rows[0];
}

/** Maps erased and merged customers of the list to the customer merged into; null if that one is erased, or there is none. */
export async function findGone(db: Queryable, companyId: number, ids: number[]): Promise<Map<number, number | null>> {
  const rows = await db.query<{ id: number; into: number | null }>(sql`
    select c.id, i.id as into from customers c
    left join customers i on i.company_id = c.company_id and i.id = c.merged_into and i.erased_at is null
    where c.company_id = ${companyId} and c.id = any(${ids}::bigint[]) and c.erased_at is not null`);
  return new Map(rows.map((row) => [row.id, row.into]));
}

/** Returns the customers who were merged into the customer. */
export async function findMergedInto(db: Queryable, companyId: number, id: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select id from customers where company_id = ${companyId} and merged_into = ${id} order by id`);
  return rows.map((row) => row.id);
}

/** Returns whether the customer existed at that time. A customer created later with the same id is another person. */
export async function isOlder(db: Queryable, companyId: number, id: number, at: Date): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from customers where company_id = ${companyId} and id = ${id} and created_at <= ${at}`);
  return rows.length > 0;
}
