import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** Locks a customer's orders, except those that are placed in the meantime. */
export async function lockOrdersOf(tx: Tx, companyId: number, customerId: number): Promise<void> {
  await tx.query(sql`
    select from orders where company_id = ${companyId} and customer_id = ${customerId} order by id for update`);
}

/** Reassigns a customer's orders to another customer. */
export async function moveOrders(tx: Tx, companyId: number, from: number, into: number): Promise<void> {
  await tx.query(sql`
    update orders set customer_id = ${into} where company_id = ${companyId} and customer_id = ${from}`);
}
