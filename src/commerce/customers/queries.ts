import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import { RawJson } from '../../lib/raw-json.ts';
import type { CustomValues } from '../custom-fields/definition.ts';

/** The JSON of a customer `c` as the API returns it. */
export const customerJson =
  rawSql(`json_build_object('id', c.id, 'revision', c.revision, 'email', coalesce(c.email, ''), 'first_name', c.first_name,
  'last_name', c.last_name, 'phone', coalesce(c.phone, ''), 'accepts_marketing', c.accepts_marketing,
  'shipping_address', coalesce(c.address, ''), 'shipping_city', coalesce(c.city, ''),
  'shipping_state', coalesce(c.state, ''), 'shipping_zip', coalesce(c.zip, ''),
  'shipping_country', coalesce(c.country, ''), 'account', c.account,
  'email_verified', c.email_verified_at is not null, 'metadata', c.metadata, 'custom', c.custom,
  'created_at', to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'updated_at', to_char(c.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text`);

export async function findCustomerJson(db: Queryable, companyId: number, id: number): Promise<RawJson | undefined> {
  const rows = await db.query<{ json: string }>(sql`
    select ${customerJson} as json from customers c
    where c.company_id = ${companyId} and c.id = ${id} and c.erased_at is null`);
  return rows[0] === undefined ? undefined : new RawJson(rows[0].json);
}

export interface CustomerValues {
  /** Null once the customer is erased. */
  email: string | null;
  firstName: string;
  lastName: string;
  phone: string | null;
  acceptsMarketing: boolean;
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  /** ISO 3166 alpha-2. */
  country: string | null;
  metadata: Record<string, unknown>;
  custom: CustomValues;
  search: string;
}

export async function insertCustomer(
  tx: Tx,
  companyId: number,
  customer: CustomerValues & { passwordHash: string | null },
  now: Date,
): Promise<{ id: number; json: string }> {
  const rows = await tx.query<{ id: number; json: string }>(sql`
    insert into customers as c (company_id, email, first_name, last_name, phone, password_hash, account, announced, accepts_marketing,
      address, city, state, zip, country, metadata, custom, search, created_at, updated_at)
    values (${companyId}, ${customer.email}, ${customer.firstName}, ${customer.lastName}, ${customer.phone},
      ${customer.passwordHash}, ${customer.passwordHash === null ? 'none' : 'active'}, true,
      ${customer.acceptsMarketing}, ${customer.address}, ${customer.city}, ${customer.state},
      ${customer.zip}, ${customer.country}, ${customer.metadata}, ${customer.custom}, ${customer.search}, ${now}, ${now})
    returning c.id, ${customerJson} as json`);
  return rows[0]!;
}

export interface CustomerRow {
  email: string | null;
  first_name: string;
  last_name: string;
  phone: string | null;
  accepts_marketing: boolean;
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  country: string | null;
  metadata: Record<string, unknown>;
  custom: CustomValues;
}

/** The fields that the marketing side keeps of a customer; `email` is null once the customer is erased. */
export interface CustomerIdentity {
  id: number;
  email: string | null;
  first_name: string;
  last_name: string;
  phone: string | null;
  accepts_marketing: boolean;
}

export async function findIdentities(db: Queryable, companyId: number, ids: number[]): Promise<CustomerIdentity[]> {
  return db.query<CustomerIdentity>(sql`
    select id, case when erased_at is null then email end as email, first_name, last_name, phone, accepts_marketing
    from customers where company_id = ${companyId} and id = any(${ids}::bigint[])`);
}

/** Keeps the customer from being erased or merged until COMMIT. Returns undefined for one that is erased. */
export async function holdIdentity(tx: Tx, companyId: number, id: number): Promise<CustomerIdentity | undefined> {
  const rows = await tx.query<CustomerIdentity>(sql`
    select id, email, first_name, last_name, phone, accepts_marketing from customers
    where company_id = ${companyId} and id = ${id} and erased_at is null for key share`);
  return rows[0];
}

/** Notes that `customer_created` is raised for the customer. Undefined if it was before. */
export async function markAnnounced(tx: Tx, companyId: number, id: number): Promise<CustomerIdentity | undefined> {
  const rows = await tx.query<CustomerIdentity>(sql`
    update customers set announced = true
    where company_id = ${companyId} and id = ${id} and not announced and erased_at is null
    returning id, email, first_name, last_name, phone, accepts_marketing`);
  return rows[0];
}

export async function lockCustomer(
  tx: Tx,
  companyId: number,
  id: number,
): Promise<(CustomerRow & { revision: number; has_account: boolean }) | undefined> {
  const rows = await tx.query<CustomerRow & { revision: number; has_account: boolean }>(sql`
    select account = 'active' as has_account, email, first_name, last_name, phone, accepts_marketing, address, city, state, zip, country, metadata, custom, revision
    from customers where company_id = ${companyId} and id = ${id} and erased_at is null for update`);
  return rows[0];
}

export async function updateCustomer(
  tx: Tx,
  companyId: number,
  id: number,
  customer: CustomerValues,
  now: Date,
): Promise<RawJson> {
  const rows = await tx.query<{ json: string }>(sql`
    update customers c set email = ${customer.email},
      email_verified_at = case when lower(c.email) = lower(${customer.email}::text) then c.email_verified_at end,
      first_name = ${customer.firstName},
      last_name = ${customer.lastName}, phone = ${customer.phone}, accepts_marketing = ${customer.acceptsMarketing},
      address = ${customer.address}, city = ${customer.city}, state = ${customer.state}, zip = ${customer.zip},
      country = ${customer.country}, metadata = ${customer.metadata}, custom = ${customer.custom}, search = ${customer.search}, updated_at = ${now}
    where c.company_id = ${companyId} and c.id = ${id}
    returning ${customerJson} as json`);
  return new RawJson(rows[0]!.json);
}
