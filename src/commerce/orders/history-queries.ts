import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';

export async function insertHistory(
  tx: Tx,
  companyId: number,
  entry: {
    orderId: number;
    type: string;
    from: string | null;
    to: string | null;
    actor: string;
    message: string | null;
    now: Date;
  },
): Promise<void> {
  await tx.query(sql`
    insert into order_history (company_id, order_id, type, from_status, to_status, actor, message, created_at)
    values (${companyId}, ${entry.orderId}, ${entry.type}, ${entry.from}, ${entry.to}, ${entry.actor}, ${entry.message},
      ${entry.now})`);
}

export interface HistoryRow {
  id: number;
  type: string;
  from: string | null;
  to: string | null;
  actor: string;
  message: string | null;
  created_at: Date;
}

export async function countHistory(db: Queryable, companyId: number, orderId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from order_history where company_id = ${companyId} and order_id = ${orderId}`);
  return rows[0]!.n;
}

export async function listHistory(
  db: Queryable,
  companyId: number,
  orderId: number,
  page: PageBounds,
): Promise<HistoryRow[]> {
  return db.query<HistoryRow>(sql`
    select id, type, from_status as "from", to_status as "to", actor, message, created_at
    from order_history where company_id = ${companyId} and order_id = ${orderId}
    order by id offset ${page.skip} limit ${page.take}`);
}
