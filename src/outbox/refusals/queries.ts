import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, sql } from '../../db/sql.ts';
import type { Correlation } from '../../lib/tracing/correlation.ts';

export interface RefusalRow {
  id: number;
  topic: string;
  payload: Record<string, unknown>;
  occurred_at: Date;
  reason: string;
  refused_at: Date;
  deliveries_queued: boolean;
  correlation: Correlation | null;
}

export function listRefusals(
  db: Queryable,
  companyId: number,
  page: { skip: number; take: number },
): Promise<RefusalRow[]> {
  return db.query<RefusalRow>(sql`
    select id, topic, payload, occurred_at, reason, refused_at, deliveries_queued, correlation
    from outbox_refusals where company_id = ${companyId} order by id offset ${page.skip} limit ${page.take}`);
}

export async function countRefusals(db: Queryable, companyId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from outbox_refusals where company_id = ${companyId}`);
  return rows[0]!.n;
}

/** Puts refused events back into the outbox under their ids: the given one, or the oldest. Returns their number. */
export async function putBack(
  tx: Tx,
  companyId: number,
  { id, limit }: { id?: number; limit: number },
): Promise<number> {
  const rows = await tx.query(sql`
    with wanted as (
      select id from outbox_refusals
      where company_id = ${companyId} ${id === undefined ? emptySql : sql`and id = ${id}`}
      order by id limit ${limit} for update
    ),
    taken as (
      delete from outbox_refusals r using wanted where r.company_id = ${companyId} and r.id = wanted.id
      returning r.id, r.topic, r.payload, r.occurred_at, r.deliveries_queued, r.correlation
    )
    insert into outbox (company_id, id, topic, payload, occurred_at, deliveries_queued, correlation) overriding system value
    select ${companyId}, id, topic, payload, occurred_at, deliveries_queued, correlation from taken
    returning 1`);
  return rows.length;
}

export async function deleteRefusal(tx: Tx, companyId: number, id: number): Promise<string | undefined> {
  const rows = await tx.query<{ topic: string }>(sql`
    delete from outbox_refusals where company_id = ${companyId} and id = ${id} returning topic`);
  return rows[0]?.topic;
}

/** Deletes refused events of people, by their customer ids or e-mail addresses. */
export function deleteRefusalsOf(
  tx: Tx,
  companyId: number,
  people: { customerIds: string[]; emails: string[] },
): Promise<unknown> {
  return tx.query(sql`
    delete from outbox_refusals
    where company_id = ${companyId} and (payload ->> 'customer_id' = any(${people.customerIds}::text[])
      or lower(payload ->> 'email') = any(${people.emails}::text[]))`);
}
