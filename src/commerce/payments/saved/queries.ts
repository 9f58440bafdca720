import { countRows } from '../../../db/lists.ts';
import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';
import type { PageBounds } from '../../../lib/paging.ts';
import type { SavedMethod } from './saved-method.ts';

export interface SavedMethodRow extends Omit<SavedMethod, 'sealed_token'> {
  id: number;
  customer_id: number;
  created_at: Date;
}

/** What can be charged: a method of a loaded export has no token. */
const USABLE = rawSql('not removed and sealed_token is not null');
const COLUMNS = rawSql(
  'id, customer_id, payment_id, method_id, account_id, provider, label, brand, last4, expires_on::text, created_at',
);

/** Stores what services have saved with payments, once for each payment; nothing for customers who were erased meanwhile. */
export async function insertSavedMethods(
  tx: Tx,
  companyId: number,
  saved: readonly (SavedMethod & { customer_id: number })[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into saved_payment_methods (company_id, customer_id, payment_id, method_id, account_id, provider, sealed_token, label,
      brand, last4, expires_on, created_at)
    select ${companyId}, s.*, ${now} from json_to_recordset(${JSON.stringify(saved)}::json) as s (customer_id bigint,
      payment_id bigint, method_id bigint, account_id bigint, provider text, sealed_token text, label text, brand text, last4 text,
      expires_on date)
    where exists (
      select from customers c where c.company_id = ${companyId} and c.id = s.customer_id and c.erased_at is null)
    on conflict (company_id, payment_id) do nothing`);
}

/** Returns the methods of a customer that can be charged, newest first. */
export async function listSavedMethods(
  db: Queryable,
  companyId: number,
  customerId: number,
): Promise<SavedMethodRow[]> {
  return db.query<SavedMethodRow>(sql`
    select ${COLUMNS} from saved_payment_methods
    where company_id = ${companyId} and customer_id = ${customerId} and ${USABLE} order by id desc`);
}

/** The same, a page of them. */
export async function pageOfSavedMethods(
  db: Queryable,
  companyId: number,
  customerId: number,
  page: PageBounds,
): Promise<{ rows: SavedMethodRow[]; total: number }> {
  const from = sql`from saved_payment_methods where company_id = ${companyId} and customer_id = ${customerId} and ${USABLE}`;
  const [[counted], rows] = await Promise.all([
    db.query<{ total: number }>(countRows(from)),
    db.query<SavedMethodRow>(sql`
      select ${COLUMNS} ${from} order by id desc offset ${page.skip} limit ${page.take}`),
  ]);
  return { rows, total: counted!.total };
}

/** Returns methods that can be charged, by id. */
export async function findSavedMethods(
  db: Queryable,
  companyId: number,
  ids: readonly number[],
): Promise<Map<number, SavedMethodRow>> {
  const rows = await db.query<SavedMethodRow>(sql`
    select ${COLUMNS} from saved_payment_methods
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) and ${USABLE}`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the payment methods by which methods were saved, also of those that were removed. By saved method. */
export async function findMethodIds(
  db: Queryable,
  companyId: number,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const rows = await db.query<{ id: number; method_id: number }>(sql`
    select id, method_id from saved_payment_methods
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[])`);
  return new Map(rows.map((row) => [row.id, row.method_id]));
}

/** Returns companies with methods that expire by the date and were not announced. */
export async function companiesWithExpiring(db: Queryable, until: string): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    select c.company_id from companies c
    where exists (
      select from saved_payment_methods s
      where s.company_id = c.company_id and s.expires_on <= ${until}::date and not s.announced and not s.removed)
    order by c.company_id`);
  return rows.map((row) => row.company_id);
}

/** Marks methods that expire by the date as announced, and returns them; the next to expire first. */
export async function takeExpiring(
  tx: Tx,
  companyId: number,
  until: string,
  limit: number,
): Promise<(SavedMethodRow & { expires_on: string })[]> {
  return tx.query<SavedMethodRow & { expires_on: string }>(sql`
    update saved_payment_methods set announced = true
    where company_id = ${companyId} and id = any(array(
      select id from saved_payment_methods
      where company_id = ${companyId} and expires_on <= ${until}::date and not announced and ${USABLE}
      order by expires_on, id limit ${limit} for update skip locked))
    returning ${COLUMNS}`);
}

/** Returns a method's sealed token, of one that was removed too; null once its service has forgotten it. */
export async function findToken(
  db: Queryable,
  companyId: number,
  id: number,
): Promise<{ sealed_token: string | null; removed: boolean } | undefined> {
  const [row] = await db.query<{ sealed_token: string | null; removed: boolean }>(sql`
    select sealed_token, removed from saved_payment_methods where company_id = ${companyId} and id = ${id}`);
  return row;
}

/** Removes methods of a customer, all of them without `id`. Returns what their services must forget. */
export async function markRemoved(
  tx: Tx,
  companyId: number,
  customerId: number,
  id: number | null,
): Promise<{ id: number; payment_id: number }[]> {
  return tx.query<{ id: number; payment_id: number }>(sql`
    update saved_payment_methods set removed = true, label = '', brand = null, last4 = null, expires_on = null
    where company_id = ${companyId} and customer_id = ${customerId} and ${USABLE}
      and (${id}::bigint is null or id = ${id}) returning id, payment_id`);
}

/** The service has forgotten a method. */
export async function dropToken(tx: Tx, companyId: number, id: number): Promise<void> {
  await tx.query(sql`
    update saved_payment_methods set sealed_token = null where company_id = ${companyId} and id = ${id}`);
}

/** Reassigns a customer's methods to another customer. */
export async function moveSavedMethods(tx: Tx, companyId: number, from: number, into: number): Promise<void> {
  await tx.query(sql`
    update saved_payment_methods set customer_id = ${into} where company_id = ${companyId} and customer_id = ${from}`);
}
