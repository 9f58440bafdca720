import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

/** Processes the next events of all companies; returns whether there are more. */
export async function foldLastActivity(db: Queryable, atMost: number, now: Date): Promise<boolean> {
  const rows = await db.query<{ more: boolean }>(sql`select fold_last_activity(${atMost}, ${now}) as more`);
  return rows[0]!.more;
}

/** Processes the next contacts of all companies; returns whether there are more. */
export async function readLoadedActivity(db: Queryable, atMost: number): Promise<boolean> {
  const rows = await db.query<{ more: boolean }>(sql`select read_loaded_activity(${atMost}) as more`);
  return rows[0]!.more;
}

/** The time of the last event of each contact that has one. */
export async function findLastActivity(db: Queryable, companyId: number, ids: number[]): Promise<Map<number, Date>> {
  const rows = await db.query<{ id: number; at: Date }>(sql`
    select contact_id as id, last_activity_at as at from contact_last_activity
    where company_id = ${companyId} and contact_id = any(${ids}::bigint[]) and last_activity_at > '-infinity'`);
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** After a merge, the remaining contact has the latest of their times. */
export async function moveLastActivity(tx: Tx, companyId: number, from: number[], into: number): Promise<void> {
  await tx.query(sql`
    update contact_last_activity set last_activity_at = n.at
    from (
      select max(last_activity_at) as at from contact_last_activity
      where company_id = ${companyId} and contact_id = any(${from}::bigint[])
    ) n
    where company_id = ${companyId} and contact_id = ${into} and last_activity_at < n.at`);
}
