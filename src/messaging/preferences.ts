import type { Db, Queryable } from '../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../db/sql.ts';
import { CHANNELS, type Channel } from '../marketing/contacts/consent/states.ts';
import { changeConsents } from '../marketing/contacts/service.ts';
import { leaveLists } from '../marketing/lists/service.ts';
import { insertActivity } from './activity-queries.ts';
import type { Suppressions } from './suppressions.ts';

export interface Preferences {
  company: string;
  status: 'subscribed' | 'unsubscribed' | 'bounced';
  /** Those that the contact is on. */
  lists: { list_id: number; name: string }[];
}

/** Whose link it is: the contact that it was made for, and the message that it came with, or 0. */
export interface LinkOwner {
  contactId: number;
  messageId: number;
}

/** null for a contact that is gone. */
export async function preferencesOf(db: Queryable, companyId: number, owner: LinkOwner): Promise<Preferences | null> {
  const contactId = await findOwner(db, companyId, owner, emptySql);
  return contactId === null ? null : findPreferences(db, companyId, contactId);
}

async function findPreferences(db: Queryable, companyId: number, contactId: number): Promise<Preferences | null> {
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

/**
 * The contact's id. One that was merged into another since is that other, as the message is theirs now; null where there is
 * neither.
 */
async function findOwner(
  db: Queryable,
  companyId: number,
  { contactId, messageId }: LinkOwner,
  lock: Statement,
): Promise<number | null> {
  const own = await db.query<{ id: number }>(sql`
    select c.id from contacts c where c.company_id = ${companyId} and c.id = ${contactId} ${lock}`);
  if (own[0] !== undefined || messageId === 0) return own[0]?.id ?? null;
  const heir = await db.query<{ id: number }>(sql`
    select c.id from messages m join contacts c on c.company_id = m.company_id and c.id = m.contact_id
    where m.company_id = ${companyId} and m.id = ${messageId} ${lock}`);
  return heir[0]?.id ?? null;
}

/** What the contact themself says no to: a list, every e-mail (one click, RFC 8058), or everything. */
export interface Refusal {
  from: 'list' | 'emails' | 'everything';
  /** Of `list`. */
  listId: number | null;
  ip: string;
  userAgent: string | undefined;
}

/** What it was that made them say so is noted. */
export async function unsubscribe(
  db: Db,
  suppressions: Suppressions,
  companyId: number,
  owner: LinkOwner,
  { from, listId, ip, userAgent }: Refusal,
  now: Date,
): Promise<void> {
  const { messageId } = owner;
  await db.tenantTx(companyId, async (tx) => {
    // Nobody merges the contact meanwhile.
    const contactId = await findOwner(tx, companyId, owner, rawSql('for no key update of c'));
    if (contactId === null) return;
    if (listId === null) {
      const channels: readonly Channel[] = from === 'emails' ? ['email'] : CHANNELS;
      const source = from === 'emails' ? ('one_click' as const) : ('preference_page' as const);
      const change = { channels, state: 'unsubscribed', source, cause: 'unsubscribe' } as const;
      await changeConsents(tx, companyId, suppressions, [contactId], { ...change, evidence: { ip, userAgent }, now });
    }
    // Who was not on it has left nothing.
    else if ((await leaveLists(tx, companyId, [{ listId, contactId }], now)).length === 0) return;
    if (messageId > 0) await insertActivity(tx, companyId, [{ messageId, type: 'unsubscribed' }], now);
  });
}
