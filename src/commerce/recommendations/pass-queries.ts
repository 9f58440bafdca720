import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { ordersSince } from '../sales/service.ts';

export type Step = 'sales' | 'categories' | 'together' | 'forget' | 'done';

/** How far the counting of a company's orders has come. */
export interface Pass {
  pass: number;
  step: Step;
  since: Date;
  lowest: number;
  position: number | null;
  category: string | null;
  looked_at: number;
  next_at: Date;
}

/** Higher than any id, and exact as a number. */
const BEYOND_IDS = Number.MAX_SAFE_INTEGER;

/** Companies with a pass that is due or in progress, new ones first. Passes due after `latest` count as due (wrong clock). */
export async function companiesWithWork(db: Queryable, now: Date, latest: Date, limit: number): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    select c.company_id from companies c left join recommendation_passes p on p.company_id = c.company_id
    where p.company_id is null or p.step <> 'done' or p.next_at <= ${now} or p.next_at > ${latest}
    order by p.next_at nulls first, c.company_id limit ${limit}`);
  return rows.map((row) => row.company_id);
}

/** Locks and returns the company's pass; undefined if there is none yet, null if another process works on it. */
export async function lockPass(tx: Tx, companyId: number): Promise<Pass | null | undefined> {
  const rows = await tx.query<Pass>(sql`
    select pass, step, since, lowest, position, category, looked_at, next_at from recommendation_passes
    where company_id = ${companyId} for update skip locked`);
  if (rows[0] !== undefined) return rows[0];
  const there = await tx.query(sql`select from recommendation_passes where company_id = ${companyId}`);
  return there.length > 0 ? null : undefined;
}

/** Begins a pass over the orders since `since`. Passes are numbered consecutively. */
export async function beginPass(tx: Tx, companyId: number, { since, nextAt }: { since: Date; nextAt: Date }) {
  await tx.query(sql`
    insert into recommendation_passes as p (company_id, pass, step, since, lowest, next_at)
    values (${companyId}, 1, 'sales', ${since}, (
      select coalesce(min(id), ${BEYOND_IDS}::bigint) from (${ordersSince(companyId, since)}) orders
    ), ${nextAt})
    on conflict (company_id) do update set pass = p.pass + 1, step = excluded.step, since = excluded.since,
      lowest = excluded.lowest, position = null, category = null, looked_at = 0, next_at = excluded.next_at`);
}

export async function savePass(
  tx: Tx,
  companyId: number,
  { step, position, category, looked_at, next_at }: Pass,
): Promise<void> {
  await tx.query(sql`
    update recommendation_passes
    set step = ${step}, position = ${position}::bigint, category = ${category}::text, looked_at = ${looked_at},
      next_at = ${next_at}
    where company_id = ${companyId}`);
}
