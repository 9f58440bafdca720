import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

/** Limits how long each later statement of the transaction waits for a lock. */
export async function limitLockWaits(tx: Tx, ms: number): Promise<void> {
  await tx.query(sql`select set_config('lock_timeout', ${`${ms}`}, true)`);
}

/** Locks the stock of the products that no other transaction locks; returns the other products. */
export async function lockAvailableStock(db: Queryable, companyId: number, productIds: number[]): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    with free as materialized (
      select product_id from product_stock
      where company_id = ${companyId} and product_id = any(${productIds}::bigint[]) order by product_id
      for update skip locked
    )
    select product_id as id from product_stock
    where company_id = ${companyId} and product_id = any(${productIds}::bigint[])
      and product_id not in (select product_id from free)`);
  return rows.map((row) => row.id);
}

/** Locks the promo codes (in upper case) that no other transaction locks; returns the others. */
export async function lockAvailablePromos(db: Queryable, companyId: number, codes: string[]): Promise<string[]> {
  const rows = await db.query<{ code: string }>(sql`
    with free as materialized (
      select id from promo_codes
      where company_id = ${companyId} and upper(code) = any(${codes}::text[]) order by id for update skip locked
    )
    select upper(code) as code from promo_codes
    where company_id = ${companyId} and upper(code) = any(${codes}::text[]) and id not in (select id from free)`);
  return rows.map((row) => row.code);
}

/** Locks the accounts of the customers that no other transaction locks; returns the other customers. */
export async function lockAvailableAccounts(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    with free as materialized (
      select customer_id from customer_accounts
      where company_id = ${companyId} and customer_id = any(${customerIds}::bigint[]) order by customer_id
      for update skip locked
    )
    select customer_id as id from customer_accounts
    where company_id = ${companyId} and customer_id = any(${customerIds}::bigint[])
      and customer_id not in (select customer_id from free)`);
  return rows.map((row) => row.id);
}

/** Like `lockFirstOrders`, but without waiting; returns the customers whose lock another transaction has. */
export async function lockAvailableFirstOrders(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select customer_id as id from unnest(${customerIds}::bigint[]) customer_id
    where not pg_try_advisory_xact_lock(hashtextextended('first order ' || customer_id, ${companyId}))`);
  return rows.map((row) => row.id);
}

/** Like `lockExternalIds`, but without waiting; returns the ids whose lock another transaction has. */
export async function lockAvailableExternalIds(
  db: Queryable,
  companyId: number,
  externalIds: string[],
): Promise<string[]> {
  const rows = await db.query<{ external_id: string }>(sql`
    select external_id from unnest(${externalIds}::text[]) external_id
    where not pg_try_advisory_xact_lock(hashtextextended('order ' || external_id, ${companyId}))`);
  return rows.map((row) => row.external_id);
}
