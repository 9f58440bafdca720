import type { Queryable, Tx } from '../db/pool.ts';
import { sql } from '../db/sql.ts';

/** Delivered: whatever was refused before is forgotten. */
export async function forgetSoftBounces(tx: Tx, companyId: number, contactIds: number[]): Promise<void> {
  await tx.query(sql`
    delete from soft_bounces where company_id = ${companyId} and contact_id = any(${contactIds}::bigint[])`);
}

/** Counts one more temporary refusal of each contact; gives how many these are in a row. */
export function countSoftBounces(
  tx: Tx,
  companyId: number,
  contactIds: number[],
  now: Date,
): Promise<{ contact_id: number; in_a_row: number }[]> {
  return tx.query(sql`
    insert into soft_bounces as b (company_id, contact_id, in_a_row, updated_at)
    select ${companyId}, contact_id, 1, ${now} from unnest(${contactIds}::bigint[]) contact_id order by contact_id
    on conflict (company_id, contact_id) do update set in_a_row = b.in_a_row + 1, updated_at = excluded.updated_at
    returning contact_id, in_a_row`);
}

export interface Suppression {
  channel: 'email' | 'sms';
  hash: Buffer;
  cause: 'bounce' | 'complaint' | 'unsubscribe' | 'manual';
  contactId: number | null;
}

/** A complaint outweighs whatever else an address is suppressed for; otherwise the first cause stays. */
export async function insertSuppressions(
  db: Queryable,
  companyId: number,
  suppressions: Suppression[],
  now: Date,
): Promise<void> {
  await db.query(sql`
    insert into suppressions as s (company_id, channel, hash, cause, contact_id, created_at)
    select distinct on (channel, hash) ${companyId}::bigint, channel, hash, cause, contact_id, ${now}::timestamptz
    from unnest(${suppressions.map((s) => s.channel)}::text[], ${suppressions.map((s) => s.hash)}::bytea[],
      ${suppressions.map((s) => s.cause)}::text[], ${suppressions.map((s) => s.contactId)}::bigint[])
      as v (channel, hash, cause, contact_id)
    order by channel, hash, cause = 'complaint' desc
    on conflict (company_id, channel, hash) do update
    set cause = excluded.cause, contact_id = excluded.contact_id, created_at = excluded.created_at
    where excluded.cause in ('complaint', 'manual') or s.contact_id is distinct from excluded.contact_id`);
}
