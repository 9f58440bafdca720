import { foldText } from '../../db/fold.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** A buyer who has no customer yet. */
export interface GuestCustomer {
  /** Normalised. */
  email: string;
  firstName: string;
  lastName: string;
  phone: string | null;
  address: { address: string; city: string; state: string; zip: string; country: string | null };
}

/**
 * Returns the customers with the guests' e-mail addresses, and creates those that do not exist. They have no password, and no event says
 * that they are new, since a guest has not opened an account.
 */
export async function insertGuests(
  tx: Tx,
  companyId: number,
  guests: readonly GuestCustomer[],
  now: Date,
): Promise<{ id: number; email: string; created: boolean }[]> {
  const given = [...new Map(guests.map((guest) => [guest.email, guest])).values()].map((guest) => ({
    email: guest.email,
    first_name: guest.firstName,
    last_name: guest.lastName,
    phone: guest.phone,
    address: guest.address.address,
    city: guest.address.city,
    state: guest.address.state || null,
    zip: guest.address.zip,
    country: guest.address.country,
    search: foldText(`${guest.firstName} ${guest.lastName} ${guest.email} ${guest.phone ?? ''}`),
  }));
  const [made, all] = await Promise.all([
    tx.query<{ id: number }>(sql`
      insert into customers (company_id, email, first_name, last_name, phone, address, city, state, zip, country, search,
        created_at, updated_at)
      select ${companyId}, g.*, ${now}, ${now}
      from json_to_recordset(${JSON.stringify(given)}::json) as g (email text, first_name text, last_name text, phone text,
        address text, city text, state text, zip text, country text, search text)
      order by g.email
      on conflict (company_id, lower(email)) where email is not null do nothing
      returning id`),
    // A statement of its own: it also sees customers that another transaction created while the first one waited for it.
    tx.query<{ id: number; email: string }>(sql`
      select id, lower(email) as email from customers
      where company_id = ${companyId} and lower(email) = any(${given.map(({ email }) => email)}::text[])`),
  ]);
  const created = new Set(made.map(({ id }) => id));
  return all.map(({ id, email }) => ({ id, email, created: created.has(id) }));
}

/** Deletes customers that `insertGuests` created in this transaction and whose orders could not be placed. */
export async function removeGuests(tx: Tx, companyId: number, ids: readonly number[]): Promise<void> {
  await tx.query(sql`delete from customers where company_id = ${companyId} and id = any(${[...ids]}::bigint[])`);
}

/** Returns the id of the customer with the e-mail address (normalised). */
export async function findByEmail(db: Queryable, companyId: number, email: string): Promise<number | undefined> {
  const rows = await db.query<{ id: number }>(sql`
    select id from customers where company_id = ${companyId} and lower(email) = ${email}`);
  return rows[0]?.id;
}
