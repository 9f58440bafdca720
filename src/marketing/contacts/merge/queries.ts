import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

/** Whether the contact `from` was merged into `into`, according to the timeline. */
export async function wasMergedInto(db: Queryable, companyId: number, from: number, into: number): Promise<boolean> {
  const rows = await db.query(sql`
    select from contact_activity
    where company_id = ${companyId} and contact_id = ${into} and type = 'merged' and data ->> 'contact_id' = ${String(from)}
    limit 1`);
  return rows.length > 0;
}
