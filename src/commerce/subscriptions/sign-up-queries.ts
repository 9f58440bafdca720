import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface SignUp {
  email: string | null;
  first_name: string;
  last_name: string;
  erased: boolean;
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  country: string | null;
}

/** Locks the customer, so that a merge waits and then reassigns the subscription. */
export async function findSignUpCustomer(db: Tx, companyId: number, id: number): Promise<SignUp | undefined> {
  const rows = await db.query<SignUp>(sql`
    select email, first_name, last_name, erased_at is not null as erased, address, city, state, zip, country
    from customers where company_id = ${companyId} and id = ${id} for key share`);
  return rows[0];
}

/** Locks the product, so that nobody removes it before the subscription exists. */
export async function findSignUpProduct(
  db: Tx,
  companyId: number,
  id: number,
): Promise<{ price: number; subscription_enabled: boolean; archived: boolean } | undefined> {
  const rows = await db.query<{ price: number; subscription_enabled: boolean; archived: boolean }>(sql`
    select price, subscription_enabled, archived_at is not null as archived
    from products where company_id = ${companyId} and id = ${id} for key share`);
  return rows[0];
}
