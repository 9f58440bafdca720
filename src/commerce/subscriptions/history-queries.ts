import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import { ACTOR_NAME } from '../actor-name.ts';

export interface HistoryEntry {
  subscriptionId: number;
  type: string;
  actor: string;
  message: string | null;
}

export interface HistoryRow {
  id: number;
  type: string;
  actor: string;
  actor_name: string | null;
  message: string | null;
  created_at: Date;
}

export async function insertHistory(tx: Tx, companyId: number, entries: HistoryEntry[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into subscription_history (company_id, subscription_id, type, actor, message, created_at)
    select ${companyId}, t.*, ${now}
    from unnest(${entries.map((e) => e.subscriptionId)}::bigint[], ${entries.map((e) => e.type)}::text[],
      ${entries.map((e) => e.actor)}::text[], ${entries.map((e) => e.message)}::text[]) as t`);
}

export async function listHistory(
  db: Queryable,
  companyId: number,
  subscriptionId: number,
  page: PageBounds,
): Promise<HistoryRow[]> {
  return db.query(sql`
    select id, type, actor, ${ACTOR_NAME}, message, created_at from subscription_history
    where company_id = ${companyId} and subscription_id = ${subscriptionId}
    order by id offset ${page.skip} limit ${page.take}`);
}

export async function countHistory(db: Queryable, companyId: number, subscriptionId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from subscription_history
    where company_id = ${companyId} and subscription_id = ${subscriptionId}`);
  return rows[0]!.n;
}
