import type { Queryable } from '../../db/pool.ts';
import { notFound } from '../../errors.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { zoneOfContact } from '../../recipients/time-zone.ts';
import { findLastActivity } from './last-activity.ts';
import { findContactsById } from './queries.ts';
import { type ContactRecord, recordOf } from './record.ts';

/** Throws not_found. */
export async function getContact(db: Queryable, companyId: number, id: number): Promise<ContactRecord> {
  const record = (await loadContacts(db, companyId, [id])).get(id);
  if (record === undefined) throw notFound(`contact ${id}`);
  return record;
}

/** The same, with the time of the contact's last activity. Throws not_found. */
export async function readContact(db: Queryable, companyId: number, id: number): Promise<ContactRecord> {
  const [record, activity] = await Promise.all([getContact(db, companyId, id), findLastActivity(db, companyId, [id])]);
  return withActivity(record, activity);
}

export function withActivity(record: ContactRecord, activity: ReadonlyMap<number, Date>): ContactRecord {
  const at = activity.get(record.contact_id);
  return { ...record, last_activity_at: at === undefined ? null : formatTimestamp(at) };
}

/** Contacts as rules and templates see them (`contact.…`), by id; the map omits contacts that do not exist. */
export async function loadContacts(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<Map<number, ContactRecord>> {
  if (ids.length === 0) return new Map();
  const rows = await findContactsById(db, companyId, ids);
  return new Map(rows.map((row) => [row.id, { ...recordOf(row.id, row, row.lists), time_zone: zoneOfContact(row) }]));
}
