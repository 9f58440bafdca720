import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { COLUMNS, FREQUENCY, type SubscriptionRow } from '../queries.ts';

/**
 * Returns companies with due subscriptions, the longest due first. One index look-up finds the first due subscription of each company,
 * however many it has.
 */
export async function companiesWithDue(db: Queryable, now: Date): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    with recursive first_due as (
      (select company_id, due_at from subscriptions where due_at is not null order by company_id, due_at limit 1)
      union all
      select next.* from first_due cross join lateral (
        select company_id, due_at from subscriptions where due_at is not null and company_id > first_due.company_id
        order by company_id, due_at limit 1) next
    )
    select company_id from first_due where due_at <= ${now} order by due_at, company_id`);
  return rows.map((row) => row.company_id);
}

/**
 * Locks a set of the company's due subscriptions, the longest due first, until the end of the transaction. Other workers skip
 * them. If the process dies, its connection closes and they are free again.
 */
export async function takeDue(tx: Tx, companyId: number, now: Date, limit: number): Promise<SubscriptionRow[]> {
  return tx.query<SubscriptionRow>(sql`
    select ${COLUMNS} from subscriptions s ${FREQUENCY}
    where s.company_id = ${companyId} and s.due_at <= ${now}
    order by s.due_at, s.id limit ${limit} for update of s skip locked`);
}

/** Returns the first time after `now` at which something is due. */
export async function nextDue(db: Queryable, now: Date): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(sql`
    select min(due_at) as due_at from subscriptions where due_at > ${now}`);
  return rows[0]!.due_at;
}
