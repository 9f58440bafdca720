import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

/** The largest number of recipients of any other started campaign of the type; null if there is none. */
export async function findLargestBefore(
  db: Queryable,
  companyId: number,
  { id, type }: { id: number; type: string },
): Promise<number | null> {
  const rows = await db.query<{ n: number | null }>(sql`
    select max(coalesce(recipients, counted)) as n from campaigns
    where company_id = ${companyId} and id <> ${id} and type = ${type} and started_at is not null`);
  return rows[0]!.n;
}
