import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** Records that the company received a signature without a timestamp; writes only if the last record is older than `before`. */
export async function noteBodyOnly(
  db: Queryable,
  companyId: number,
  { now, before }: { now: Date; before: Date },
): Promise<void> {
  await db.query(sql`
    insert into webhook_senders as s (company_id, body_only_at) values (${companyId}, ${now})
    on conflict (company_id) do update set body_only_at = excluded.body_only_at
    where s.body_only_at <= ${before} or s.body_only_at > excluded.body_only_at`);
}

export interface BodyOnlySender {
  company_id: number;
  body_only_at: Date;
  require_timestamp: boolean;
}

/** Companies that received such requests since `since`, the most recent first. */
export async function findBodyOnlySenders(db: Queryable, since: Date): Promise<BodyOnlySender[]> {
  return db.query<BodyOnlySender>(sql`
    select s.company_id, s.body_only_at,
      coalesce((c.settings -> 'webhook' ->> 'require_timestamp')::boolean, false) as require_timestamp
    from webhook_senders s join companies c on c.company_id = s.company_id
    where s.body_only_at >= ${since} order by s.body_only_at desc`);
}

/** Merges settings of the webhook; returns all settings, undefined for an unknown company. */
export async function mergeWebhookSettings(
  tx: Tx,
  companyId: number,
  settings: Record<string, unknown>,
): Promise<Record<string, unknown> | undefined> {
  const rows = await tx.query<{ webhook: Record<string, unknown> }>(sql`
    update companies
    set settings = jsonb_set(settings, '{webhook}', coalesce(settings -> 'webhook', '{}') || ${JSON.stringify(settings)}::jsonb)
    where company_id = ${companyId} returning settings -> 'webhook' as webhook`);
  return rows[0]?.webhook;
}
