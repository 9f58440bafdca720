import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** Companies whose boundaries were never computed, or last before `before`; the oldest first. */
export async function companiesToClassify(db: Queryable, before: Date, limit: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select c.company_id as id from companies c left join rfm_boundaries b on b.company_id = c.company_id
    where b.computed_at is null or b.computed_at < ${before}
    order by b.computed_at nulls first, c.company_id limit ${limit}`);
  return rows.map((row) => row.id);
}

export async function computeBoundaries(db: Queryable, companyId: number, now: Date): Promise<void> {
  await db.query(sql`select compute_rfm_boundaries(${companyId}, ${now})`);
}
