import type { Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

/** Merges the memberships: unsubscribed if either is, otherwise active if either is. */
export function mergeMemberships(tx: Tx, companyId: number, from: number[], into: number, now: Date): Promise<unknown> {
  return tx.query(sql`
    insert into list_memberships as m (company_id, list_id, contact_id, status, consent_at, consent_source, consent_ip,
      confirmation_queued_at, created_at, updated_at)
    select distinct on (list_id) company_id, list_id, ${into}, status, consent_at, consent_source, consent_ip,
      confirmation_queued_at, created_at, ${now}
    from list_memberships
    where company_id = ${companyId} and contact_id = any(${from}::bigint[])
    order by list_id, array_position(array['unsubscribed', 'active', 'pending'], status)
    on conflict (company_id, list_id, contact_id) do update
    set status = excluded.status, consent_at = excluded.consent_at, consent_source = excluded.consent_source,
      consent_ip = excluded.consent_ip, updated_at = excluded.updated_at
    where array_position(array['unsubscribed', 'active', 'pending'], excluded.status)
      < array_position(array['unsubscribed', 'active', 'pending'], m.status)`);
}
