import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** Locks a customer's subscriptions. None is created in the meantime, since that waits for the customer's row. */
export async function lockSubscriptionsOf(tx: Tx, companyId: number, customerId: number): Promise<void> {
  await tx.query(sql`
    select from subscriptions where company_id = ${companyId} and customer_id = ${customerId} order by id for update`);
}

/** Reassigns a customer's subscriptions to another customer. */
export async function moveSubscriptions(tx: Tx, companyId: number, from: number, into: number): Promise<void> {
  await tx.query(sql`
    update subscriptions set customer_id = ${into} where company_id = ${companyId} and customer_id = ${from}`);
}
