import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Period } from '../sales/queries.ts';

/** Carts that were begun in a period, and how far they have come since. */
export interface Conversion {
  begun: number;
  with_address: number;
  placed: number;
}

/** Counts the carts that have had a product, without renewals, and without those whose lines went to another cart of their buyer. */
export async function countConversion(
  db: Queryable,
  companyId: number,
  { from, to, timeZone }: Period,
): Promise<Conversion> {
  const rows = await db.query<Conversion>(sql`
    select count(*) as begun,
      count(*) filter (where email is not null or customer_id is not null or status = 'placed') as with_address,
      count(*) filter (where status = 'placed') as placed
    from carts
    where company_id = ${companyId} and created_at >= ${from}::date::timestamp at time zone ${timeZone}
      and created_at < (${to}::date + 1)::timestamp at time zone ${timeZone}
      and last_line_id > 0 and status <> 'merged' and origin <> 'subscription'`);
  return rows[0]!;
}
