import type { Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

export interface ActivityRow {
  contactId: number;
  type: 'status_changed' | 'merged' | 'preferences_changed';
  data: object;
  at: Date;
}

export function insertActivity(tx: Tx, companyId: number, rows: ActivityRow[]): Promise<unknown> {
  return tx.query(sql`
    insert into contact_activity (company_id, contact_id, type, data, created_at)
    select ${companyId}, contact_id, type, data, at
    from unnest(${rows.map((r) => r.contactId)}::bigint[], ${rows.map((r) => r.type)}::text[],
      ${rows.map((r) => JSON.stringify(r.data))}::jsonb[], ${rows.map((r) => r.at)}::timestamptz[])
      as v (contact_id, type, data, at)`);
}
