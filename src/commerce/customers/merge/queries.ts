import type { Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { CustomValues } from '../../custom-fields/definition.ts';
import type { CustomerRow } from '../queries.ts';

/** Locks the existing customers, by ascending id. Transactions that add a subscription or note for one of them wait. */
export async function lockCustomers(tx: Tx, companyId: number, ids: number[]): Promise<Map<number, CustomerRow>> {
  const rows = await tx.query<CustomerRow & { id: number }>(sql`
    select id, email, first_name, last_name, phone, accepts_marketing, address, city, state, zip, country, metadata, custom
    from customers where company_id = ${companyId} and id = any(${ids}::bigint[]) and erased_at is null
    order by id for update`);
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

/** Empties a customer's row and points it to the other customer, who gets the custom values. Rows of customers merged into it before then point there as well. */
export async function absorb(
  tx: Tx,
  companyId: number,
  from: number,
  into: number,
  custom: CustomValues,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    with forgotten as (
      delete from password_attempts where company_id = ${companyId} and customer_id = ${from}
    ),
    signed_out as (
      delete from customer_sessions where company_id = ${companyId} and customer_id = ${from}
    ),
    passkeys as (
      delete from customer_passkeys where company_id = ${companyId} and customer_id = ${from}
    ),
    codes as (
      delete from customer_codes where company_id = ${companyId}
        and (customer_id = ${from} or email = (select lower(email) from customers where company_id = ${companyId} and id = ${from}))
    ),
    addresses as (
      update customer_addresses set customer_id = ${into} where company_id = ${companyId} and customer_id = ${from}
    ),
    given as (
      update customers set custom = ${JSON.stringify(custom)}::jsonb where company_id = ${companyId} and id = ${into}
    ),
    earlier as (
      update customers set merged_into = ${into} where company_id = ${companyId} and merged_into = ${from}
    )
    update customers set email = null, first_name = '', last_name = '', phone = null, password_hash = null,
      account = 'none', email_verified_at = null, accepts_marketing = false, address = null, city = null, state = null, zip = null, country = null, metadata = '{}',
      custom = '{}', search = '', erased_at = ${now}, updated_at = ${now}, merged_into = ${into}
    where company_id = ${companyId} and id = ${from}`);
}
