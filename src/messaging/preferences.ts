import type { Db, Queryable } from '../db/pool.ts';
import { sql } from '../db/sql.ts';
import { changeStatuses } from '../marketing/contacts/service.ts';
import { leaveLists } from '../marketing/lists/service.ts';
import { insertActivity } from './activity-queries.ts';

export interface Preferences {
  company: string;
  status: 'subscribed' | 'unsubscribed' | 'bounced';
  /** Those that the contact is on. */
  lists: { list_id: number; name: string }[];
}

/** null for a contact that is gone. */
export async function preferencesOf(db: Queryable, companyId: number, contactId: number): Promise<Preferences | null> {
  const rows = await db.query<Preferences>(sql`
    select k.name as company, c.status, coalesce((
      select json_agg(json_build_object('list_id', l.id, 'name', l.name) order by l.name, l.id)
      from list_memberships m join lists l on l.company_id = m.company_id and l.id = m.list_id
      where m.company_id = c.company_id and m.contact_id = c.id and m.status in ('pending', 'active')
        and l.deleted_at is null), '[]') as lists
    from contacts c join companies k using (company_id)
    where c.company_id = ${companyId} and c.id = ${contactId}`);
  return rows[0] ?? null;
}

/** The contact themself says no: to one list, or to everything. What it was that made them say so is noted. */
export async function unsubscribe(
  db: Db,
  companyId: number,
  wish: { contactId: number; messageId: number; listId: number | null },
  now: Date,
): Promise<void> {
  const { contactId, messageId, listId } = wish;
  await db.tenantTx(companyId, async (tx) => {
    if (listId === null) await changeStatuses(tx, companyId, [contactId], 'unsubscribe', now);
    else await leaveLists(tx, companyId, [{ listId, contactId }], now);
    if (messageId > 0) await insertActivity(tx, companyId, [{ messageId, type: 'unsubscribed' }], now);
  });
}
