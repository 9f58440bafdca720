import type { Queryable } from '../../../db/pool.ts';
import { type Statement, sql } from '../../../db/sql.ts';

export type ActivityType = 'status_changed' | 'list_changed' | 'merged' | 'preferences_changed';

export interface DependentEntry {
  id: number;
  at: Date;
  data: object;
}

/** Up to `limit` entries with ids below `before`. */
export interface EntryPage {
  before: number;
  limit: number;
}

/** Events of the contact, the last received first. */
export function findEventEntries(
  db: Queryable,
  companyId: number,
  contactId: number,
  page: EntryPage,
): Promise<DependentEntry[]> {
  return db.query<DependentEntry>(eventEntries(companyId, contactId, page));
}

export function eventEntries(companyId: number, contactId: number, page: EntryPage): Statement {
  return sql`
    select event_id as id, received_at as at, json_build_object('event_id', event_id, 'event_type', event_type,
      'event_data', data, 'occurred_at', to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
      'source', source) as data
    from events where company_id = ${companyId} and contact_id = ${contactId} and event_id < ${page.before}
    order by event_id desc limit ${page.limit}`;
}

/** Messages of the contact with their activity, the last queued first. */
export function findMessageEntries(
  db: Queryable,
  companyId: number,
  contactId: number,
  page: EntryPage,
): Promise<DependentEntry[]> {
  return db.query<DependentEntry>(messageEntries(companyId, contactId, page));
}

export function messageEntries(companyId: number, contactId: number, page: EntryPage): Statement {
  return sql`
    select m.id, m.created_at as at, json_build_object('message_id', m.id, 'channel', m.channel, 'status', m.status,
      'reason', m.reason, 'origin', m.origin, 'flow_id', m.flow_id, 'campaign_id', m.campaign_id,
      'recipient', m.recipient,
      'sent_at', to_char(m.handed_over_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
      'activity', coalesce((
        select json_agg(json_build_object('type', a.type,
          'at', to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')) order by a.created_at, a.type)
        from message_activity a where a.company_id = m.company_id and a.message_id = m.id), '[]')) as data
    from ledger m where m.company_id = ${companyId} and m.contact_id = ${contactId} and m.id < ${page.before}
    order by m.id desc limit ${page.limit}`;
}

/** Changes of the contact itself, newest first. */
export function findActivityEntries(
  db: Queryable,
  companyId: number,
  contactId: number,
  page: EntryPage,
): Promise<(DependentEntry & { type: ActivityType })[]> {
  return db.query<DependentEntry & { type: ActivityType }>(sql`
    select id, created_at as at, type, data from contact_activity
    where company_id = ${companyId} and contact_id = ${contactId} and id < ${page.before}
    order by id desc limit ${page.limit}`);
}
