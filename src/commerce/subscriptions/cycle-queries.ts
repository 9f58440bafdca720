import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface Cycle {
  subscriptionId: number;
  date: string;
  outcome: 'ordered' | 'skipped';
  orderId: number | null;
  reason: string | null;
}

export async function insertCycles(tx: Tx, companyId: number, cycles: Cycle[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into subscription_cycles (company_id, subscription_id, cycle_date, outcome, order_id, reason, created_at)
    select ${companyId}, t.*, ${now}
    from unnest(${cycles.map((c) => c.subscriptionId)}::bigint[], ${cycles.map((c) => c.date)}::date[],
      ${cycles.map((c) => c.outcome)}::text[], ${cycles.map((c) => c.orderId)}::bigint[],
      ${cycles.map((c) => c.reason)}::text[]) as t`);
}

/** Returns the dates of each subscription, from its given date on, that were ordered or skipped. */
export async function findDatesOver(
  db: Queryable,
  companyId: number,
  from: ReadonlyMap<number, string>,
): Promise<Map<number, Set<string>>> {
  const rows = await db.query<{ id: number; date: string }>(sql`
    select asked.id, c.cycle_date::text as date
    from unnest(${[...from.keys()]}::bigint[], ${[...from.values()]}::date[]) as asked (id, from_date)
    join subscription_cycles c on c.company_id = ${companyId} and c.subscription_id = asked.id
      and c.cycle_date >= asked.from_date`);
  const over = new Map<number, Set<string>>(Array.from(from.keys(), (id) => [id, new Set()]));
  for (const { id, date } of rows) over.get(id)!.add(date);
  return over;
}
