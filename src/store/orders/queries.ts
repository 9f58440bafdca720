import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** Whether the order is of a customer with the address, which is normalised. */
export async function isOrderOf(
  db: Queryable,
  companyId: number,
  { order_id, email }: { order_id: number; email: string },
): Promise<boolean> {
  const rows = await db.query(sql`
    select from orders o join customers c on c.company_id = o.company_id and c.id = o.customer_id
    where o.company_id = ${companyId} and o.id = ${order_id} and lower(c.email) = ${email} and c.erased_at is null`);
  return rows.length > 0;
}
