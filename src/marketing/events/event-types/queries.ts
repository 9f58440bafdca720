import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

export interface EventTypeRow {
  event_type: string;
  required_keys: string[];
}

export async function listEventTypes(db: Queryable, companyId: number): Promise<EventTypeRow[]> {
  return db.query<EventTypeRow>(sql`
    select event_type, required_keys from event_types where company_id = ${companyId} order by event_type`);
}

/** Returns whether the type is new. */
export async function upsertEventType(tx: Tx, companyId: number, row: EventTypeRow, now: Date): Promise<boolean> {
  const rows = await tx.query<{ created: boolean }>(sql`
    insert into event_types (company_id, event_type, required_keys, created_at)
    values (${companyId}, ${row.event_type}, ${row.required_keys}, ${now})
    on conflict (company_id, event_type) do update set required_keys = excluded.required_keys
    returning xmax = 0 as created`);
  return rows[0]!.created;
}

export async function deleteEventType(tx: Tx, companyId: number, eventType: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from event_types where company_id = ${companyId} and event_type = ${eventType} returning 1`);
  return rows.length > 0;
}
