import { CLOCK_SKEW_MS } from '../../clock.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { joinSql, rawSql, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { conditionsOf, findShort } from '../search.ts';

/** A customer's JSON as the interface shows it, over alias c. The password's hash never leaves its own queries. */
const customerJson = rawSql(`json_build_object('id', c.id, 'email', coalesce(c.email, ''), 'first_name', c.first_name,
  'last_name', c.last_name, 'phone', coalesce(c.phone, ''), 'accepts_marketing', c.accepts_marketing,
  'shipping_address', coalesce(c.address, ''), 'shipping_city', coalesce(c.city, ''),
  'shipping_state', coalesce(c.state, ''), 'shipping_zip', coalesce(c.zip, ''),
  'shipping_country', coalesce(c.country, ''), 'metadata', c.metadata,
  'created_at', to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'updated_at', to_char(c.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text`);

export async function findCustomerJson(db: Queryable, companyId: number, id: number): Promise<RawJson | undefined> {
  const rows = await db.query<{ json: string }>(sql`
    select ${customerJson} as json from customers c
    where c.company_id = ${companyId} and c.id = ${id} and c.erased_at is null`);
  return rows[0] === undefined ? undefined : new RawJson(rows[0].json);
}

/** A page of all customers by the kept totals, by one plan for all pages (see listProductsByKey). */
export async function listCustomersByKey(
  db: Queryable,
  companyId: number,
  bounds: PageBounds,
): Promise<{ rows: RawJson; total: number }> {
  const rows = await db.query<{ total: number; json: string }>(sql`
    select l.total, coalesce((
      select '[' || string_agg(json, ',' order by id desc) || ']' from (
        select c.id, ${customerJson} as json from (
          select * from customers where company_id = ${companyId} and id <= l.first and erased_at is null
          order by id desc limit 100
        ) c limit ${bounds.take}
      ) page
    ), '[]') as json
    from (
      select total, (
        select id from customers where company_id = ${companyId} and id < below and erased_at is null
        order by id desc offset rest limit 1
      ) as first
      from locate_page(${companyId}, 'customers', null, null, null, ${bounds.skip})
    ) l`);
  return { total: rows[0]!.total, rows: new RawJson(rows[0]!.json) };
}

export interface CustomerFilters {
  /** Folded words, all of which must be found. */
  words: string[];
  /** Lower case. */
  email: string | undefined;
}

/** A page by words of one or two letters alone. */
export async function searchCustomersShort(
  db: Db,
  companyId: number,
  words: string[],
  bounds: PageBounds,
): Promise<{ rows: RawJson; total: number }> {
  const where = { table: rawSql('customers'), alias: rawSql('c'), condition: rawSql('true') };
  const { total, ids } = await findShort(db, companyId, where, words, bounds);
  const rows = await db.query<{ json: string }>(sql`
    select coalesce('[' || string_agg(${customerJson}, ',' order by c.id desc) || ']', '[]') as json
    from customers c where c.company_id = ${companyId} and c.id = any(${ids}::bigint[])`);
  return { total, rows: new RawJson(rows[0]!.json) };
}

/** A page under filters whose totals are not kept: both from the same indexed set, held as products' are. */
export async function searchCustomers(
  db: Queryable,
  companyId: number,
  filters: CustomerFilters,
  bounds: PageBounds,
): Promise<{ rows: RawJson; total: number }> {
  const conditions = [sql`c.company_id = ${companyId} and c.erased_at is null`];
  if (filters.email !== undefined) conditions.push(sql`lower(c.email) = ${filters.email}`);
  conditions.push(...conditionsOf(rawSql('c.search'), filters.words));
  const rows = await db.query<{ total: number; json: string }>(sql`
    with found as materialized (
      select array_agg(c.id order by c.id desc) as ids from customers c where ${joinSql(conditions, ' and ')}
    )
    select coalesce(cardinality(ids), 0) as total, coalesce((
      select '[' || string_agg(${customerJson}, ',' order by c.id desc) || ']'
      from (select unnest(ids) as id offset ${bounds.skip} limit ${bounds.take}) f
      join customers c on c.company_id = ${companyId} and c.id = f.id
    ), '[]') as json from found`);
  return { total: rows[0]!.total, rows: new RawJson(rows[0]!.json) };
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
  search: string;
}

export async function insertCustomer(
  tx: Tx,
  companyId: number,
  customer: CustomerValues & { passwordHash: string | null },
  now: Date,
): Promise<{ id: number; json: string }> {
  const rows = await tx.query<{ id: number; json: string }>(sql`
    insert into customers as c (company_id, email, first_name, last_name, phone, password_hash, accepts_marketing,
      address, city, state, zip, country, metadata, search, created_at, updated_at)
    values (${companyId}, ${customer.email}, ${customer.firstName}, ${customer.lastName}, ${customer.phone},
      ${customer.passwordHash}, ${customer.acceptsMarketing}, ${customer.address}, ${customer.city}, ${customer.state},
      ${customer.zip}, ${customer.country}, ${customer.metadata}, ${customer.search}, ${now}, ${now})
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
}

/** Who a customer is, as marketing is told; without an address once erased. */
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

export async function lockCustomer(tx: Tx, companyId: number, id: number): Promise<CustomerRow | undefined> {
  const rows = await tx.query<CustomerRow>(sql`
    select email, first_name, last_name, phone, accepts_marketing, address, city, state, zip, country, metadata
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
    update customers c set email = ${customer.email}, first_name = ${customer.firstName},
      last_name = ${customer.lastName}, phone = ${customer.phone}, accepts_marketing = ${customer.acceptsMarketing},
      address = ${customer.address}, city = ${customer.city}, state = ${customer.state}, zip = ${customer.zip},
      country = ${customer.country}, metadata = ${customer.metadata}, search = ${customer.search}, updated_at = ${now}
    where c.company_id = ${companyId} and c.id = ${id}
    returning ${customerJson} as json`);
  return new RawJson(rows[0]!.json);
}

/** Undefined for an unknown customer, null for one without a password. */
export async function findPasswordHash(
  db: Queryable,
  companyId: number,
  id: number,
): Promise<string | null | undefined> {
  const rows = await db.query<{ password_hash: string | null }>(sql`
    select password_hash from customers where company_id = ${companyId} and id = ${id} and erased_at is null`);
  return rows[0]?.password_hash;
}

/** Undefined for an unknown customer. */
export async function updatePasswordHash(
  tx: Tx,
  companyId: number,
  id: number,
  hash: string,
  now: Date,
): Promise<RawJson | undefined> {
  const rows = await tx.query<{ json: string }>(sql`
    update customers c set password_hash = ${hash}, updated_at = ${now}
    where c.company_id = ${companyId} and c.id = ${id} and c.erased_at is null
    returning ${customerJson} as json`);
  return rows[0] === undefined ? undefined : new RawJson(rows[0].json);
}

/** The same password under today's parameters; leaves one that was changed in between. */
export async function renewPasswordHash(
  db: Queryable,
  companyId: number,
  id: number,
  hash: { old: string; fresh: string },
): Promise<void> {
  await db.query(sql`
    update customers set password_hash = ${hash.fresh}
    where company_id = ${companyId} and id = ${id} and password_hash = ${hash.old}`);
}

/**
 * Counts an attempt at the customer's password in the current window, which begins with its first one. Null when the
 * window has no attempt left.
 */
export async function takePasswordAttempt(
  db: Queryable,
  companyId: number,
  id: number,
  window: { now: Date; expired: Date; attempts: number },
): Promise<Date | null> {
  // One that lies ahead is of a clock that was wrong.
  const over = sql`(a.window_start <= ${window.expired} or a.window_start > ${new Date(window.now.getTime() + CLOCK_SKEW_MS)})`;
  const rows = await db.query<{ window_start: Date }>(sql`
    insert into password_attempts as a (company_id, customer_id, window_start, attempts)
    values (${companyId}, ${id}, ${window.now}, 1)
    on conflict (company_id, customer_id) do update set
      window_start = case when ${over} then excluded.window_start else a.window_start end,
      attempts = case when ${over} then 1 else a.attempts + 1 end
    where ${over} or a.attempts < ${window.attempts}
    returning window_start`);
  return rows[0]?.window_start ?? null;
}

export async function findAttemptWindow(db: Queryable, companyId: number, id: number): Promise<Date | undefined> {
  const rows = await db.query<{ window_start: Date }>(sql`
    select window_start from password_attempts where company_id = ${companyId} and customer_id = ${id}`);
  return rows[0]?.window_start;
}

/** A right password does not count. */
export async function returnPasswordAttempt(
  db: Queryable,
  companyId: number,
  id: number,
  windowStart: Date,
): Promise<void> {
  await db.query(sql`
    update password_attempts set attempts = attempts - 1
    where company_id = ${companyId} and customer_id = ${id} and window_start = ${windowStart} and attempts > 0`);
}

export async function forgetPasswordAttempts(tx: Tx, companyId: number, id: number): Promise<void> {
  await tx.query(sql`delete from password_attempts where company_id = ${companyId} and customer_id = ${id}`);
}
