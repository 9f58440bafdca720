import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

/** What is requested from a domain on a day. */
export interface Wanted {
  domain_id: number;
  messages: number;
  quota: number;
}

/**
 * Counts what is sent from each domain on the day, up to its quota, and returns how many may be sent. The rows are locked until COMMIT, so
 * that concurrent processes together stay within the quota. Messages that fail after the hand-over count too, because the receiver has seen
 * them.
 */
export async function grant(tx: Tx, companyId: number, day: string, wanted: Wanted[]): Promise<Map<number, number>> {
  const sorted = wanted.toSorted((a, b) => a.domain_id - b.domain_id);
  const rows = await tx.query<{ domain_id: number; granted: number }>(sql`
    insert into warm_up_days as w (company_id, domain_id, day, quota, handed_over, granted)
    select ${companyId}, v.domain_id, ${day}::date, v.quota, least(v.messages, v.quota), least(v.messages, v.quota)
    from unnest(${sorted.map((one) => one.domain_id)}::bigint[], ${sorted.map((one) => one.messages)}::bigint[],
      ${sorted.map((one) => one.quota)}::bigint[]) as v (domain_id, messages, quota)
    order by v.domain_id
    on conflict (company_id, domain_id, day) do update set quota = excluded.quota,
      granted = greatest(0, least(excluded.granted, excluded.quota - w.handed_over)),
      handed_over = w.handed_over + greatest(0, least(excluded.granted, excluded.quota - w.handed_over))
    returning domain_id, granted`);
  return new Map(rows.map(({ domain_id, granted }) => [domain_id, granted]));
}

/** Returns what was handed over from the domains, by day (YYYY-MM-DD). */
export async function findHandedOver(
  db: Queryable,
  companyId: number,
  domainIds: number[],
): Promise<{ domain_id: number; day: string; handed_over: number }[]> {
  return db.query(sql`
    select domain_id, to_char(day, 'YYYY-MM-DD') as day, handed_over from warm_up_days
    where company_id = ${companyId} and domain_id = any(${domainIds}::bigint[]) order by domain_id, day`);
}

/** Nothing is counted for a domain without a plan. */
export async function deleteDays(tx: Tx, companyId: number, domainId: number): Promise<void> {
  await tx.query(sql`delete from warm_up_days where company_id = ${companyId} and domain_id = ${domainId}`);
}
