import type { Queryable, Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../../db/sql.ts';
import type { CustomerRow } from '../queries.ts';

export interface CustomerSnapshot extends CustomerRow {
  id: number;
  created_at: Date;
  updated_at: Date;
}

/** Returns customers by lower-case e-mail address or by id; with `lock`, locks them until COMMIT. */
export async function findSnapshots(
  db: Queryable,
  companyId: number,
  { emails, ids = [] }: { emails: string[]; ids?: number[] },
  lock = false,
): Promise<CustomerSnapshot[]> {
  return db.query<CustomerSnapshot>(sql`
    select id, email, first_name, last_name, phone, accepts_marketing, address, city, state, zip, country, metadata, custom,
      created_at, updated_at
    from customers
    where company_id = ${companyId} and erased_at is null and id = any(array(
      select id from customers where company_id = ${companyId} and lower(email) = any(${emails}::text[])
      union select unnest(${ids}::bigint[])))
    order by id ${lock ? rawSql('for update') : emptySql}`);
}

const given = rawSql(`(id bigint, email text, first_name text, last_name text, phone text, accepts_marketing boolean,
  address text, city text, state text, zip text, country text, metadata jsonb, custom jsonb, search text, created_at timestamptz)`);

export type NewCustomer = Omit<CustomerRow, never> & { search: string; created_at: Date };

/** Returns the ids by lower-case e-mail address. */
export async function insertCustomers(
  tx: Tx,
  companyId: number,
  customers: NewCustomer[],
  now: Date,
): Promise<Map<string, number>> {
  const rows = await tx.query<{ id: number; email: string }>(sql`
    insert into customers (company_id, email, first_name, last_name, phone, accepts_marketing, address, city, state, zip,
      country, metadata, custom, search, created_at, updated_at)
    select ${companyId}, email, first_name, last_name, phone, accepts_marketing, address, city, state, zip, country,
      metadata, custom, search, created_at, ${now}
    from json_to_recordset(${JSON.stringify(customers)}::json) as g ${given}
    returning id, lower(email) as email`);
  return new Map(rows.map(({ id, email }) => [email, id]));
}

/** Writes customers that the caller has locked. */
export async function updateCustomers(
  tx: Tx,
  companyId: number,
  customers: (CustomerRow & { id: number; search: string })[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update customers c set email = g.email, first_name = g.first_name, last_name = g.last_name, phone = g.phone,
      accepts_marketing = g.accepts_marketing, address = g.address, city = g.city, state = g.state, zip = g.zip,
      country = g.country, metadata = g.metadata, custom = g.custom, search = g.search, updated_at = ${now}
    from json_to_recordset(${JSON.stringify(customers)}::json) as g ${given}
    where c.company_id = ${companyId} and c.id = g.id`);
}

/**
 * Deletes customers that are unchanged since they were created at `stamp` and have no orders, points, subscriptions, notes or password. The
 * caller must lock them and their accounts in earlier statements, so that this one sees what others wrote in the meantime. The accounts
 * stay, closed: an order that has read its customer before finds that there is none.
 */
export async function deleteUntouched(tx: Tx, companyId: number, ids: number[], stamp: Date): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    with untouched as materialized (
      select c.id from customers c
      where c.company_id = ${companyId} and c.id = any(${ids}::bigint[]) and c.updated_at = ${stamp}
        and c.erased_at is null and c.password_hash is null
        and not exists (select from orders o where o.company_id = ${companyId} and o.customer_id = c.id)
        and not exists (select from subscriptions s where s.company_id = ${companyId} and s.customer_id = c.id)
        and not exists (select from loyalty_ledger l where l.company_id = ${companyId} and l.customer_id = c.id)
        and not exists (select from notes n where n.company_id = ${companyId} and n.customer_id = c.id)
    ),
    accounts as (
      update customer_accounts a set closed = true from untouched u where a.company_id = ${companyId} and a.customer_id = u.id
    )
    delete from customers c using untouched u where c.company_id = ${companyId} and c.id = u.id returning c.id`);
  return rows.map((row) => row.id);
}
