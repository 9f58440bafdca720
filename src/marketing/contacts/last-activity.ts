import type { Clock } from '../../clock.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Slice } from '../../lib/slice.ts';

/** Event ids that one statement scans, about 200 ms of work. */
const EVENTS = 20_000;
/** Contacts whose events one statement scans. */
const CONTACTS = 500;

/** Processes the events of all companies since the last turn. */
export function foldLastActivity(db: Queryable, clock: Clock): Slice<true> {
  return async () => {
    const rows = await db.query<{ more: boolean }>(sql`select fold_last_activity(${EVENTS}, ${clock.now()}) as more`);
    return { done: 1, next: rows[0]!.more ? true : null };
  };
}

/** Processes the events of a company that was loaded. If a worker dies, the next one continues. */
export function readLoadedActivity(db: Queryable): Slice<true> {
  return async () => {
    const rows = await db.query<{ more: boolean }>(sql`select read_loaded_activity(${CONTACTS}) as more`);
    return { done: 1, next: rows[0]!.more ? true : null };
  };
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
