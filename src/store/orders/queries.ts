import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** Whether the order is of a customer with the address, which is normalised. The customer is not erased or merged before COMMIT. */
export async function isOrderOf(
  tx: Tx,
  companyId: number,
  { order_id, email }: { order_id: number; email: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from orders o join customers c on c.company_id = o.company_id and c.id = o.customer_id
    where o.company_id = ${companyId} and o.id = ${order_id} and lower(c.email) = ${email} and c.erased_at is null
    for key share of c`);
  return rows.length > 0;
}
