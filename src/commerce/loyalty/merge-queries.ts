import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export async function countOrders(db: Queryable, companyId: number, customerId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select order_count as n from customer_accounts where company_id = ${companyId} and customer_id = ${customerId}`);
  return rows[0]?.n ?? 0;
}

/** Locks the accounts of both customers, and creates missing ones: nothing is placed for or posted to either until COMMIT. */
export async function lockAccounts(tx: Tx, companyId: number, customerIds: number[]): Promise<void> {
  const sorted = customerIds.toSorted((a, b) => a - b);
  await tx.query(sql`
    insert into customer_accounts as a (company_id, customer_id)
    select ${companyId}, id from unnest(${sorted}::bigint[]) id
    on conflict (company_id, customer_id) do update set order_count = a.order_count`);
}

/** Transfers a customer's points and ledger entries to another customer, and closes the account. Both must be locked. */
export async function moveAccount(tx: Tx, companyId: number, from: number, into: number): Promise<void> {
  await tx.query(sql`
    update loyalty_ledger set customer_id = ${into} where company_id = ${companyId} and customer_id = ${from}`);
  await tx.query(sql`
    with moved as materialized (
      select order_count, points_balance, points_lifetime, points_reserved from customer_accounts
      where company_id = ${companyId} and customer_id = ${from}
    ),
    closed as (
      update customer_accounts set order_count = 0, points_balance = 0, points_lifetime = 0, points_reserved = 0, closed = true
      where company_id = ${companyId} and customer_id = ${from}
    )
    update customer_accounts a set order_count = a.order_count + m.order_count,
      points_balance = a.points_balance + m.points_balance, points_lifetime = a.points_lifetime + m.points_lifetime,
      points_reserved = a.points_reserved + m.points_reserved
    from moved m where a.company_id = ${companyId} and a.customer_id = ${into}`);
}
