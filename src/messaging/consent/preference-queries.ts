import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, type Statement, sql } from '../../db/sql.ts';
import type { Channel, ConsentState, MembershipStatus } from '../../recipients/consent.ts';
import type { Frequency } from '../../recipients/preferences.ts';
import type { Address } from '../suppressions/suppressions.ts';
import { chooseLanguage, type Language } from './languages.ts';

/** What the preference page shows of a contact. */
export interface ShownPreferences {
  company: string;
  properties: Record<string, unknown>;
  /** Channels for which the contact has an address. */
  channels: Partial<Record<Channel, { address: string; state: ConsentState }>>;
  lists: { list_id: number; name: string; status: MembershipStatus }[];
  frequency: Frequency;
  pausedUntil: Date | null;
  /** Whether an opt-in by this link counts: the link was sent to an address that the contact still has. */
  mayAgree: boolean;
}

/** The owner of a link: its contact, and the message that contained it, or 0. */
export interface LinkOwner {
  contactId: number;
  messageId: number;
}

/** The preferences of the link's contact, or null for a deleted contact. */
export async function findPreferences(
  db: Queryable,
  companyId: number,
  owner: LinkOwner,
): Promise<ShownPreferences | null> {
  const found = await findOwner(db, companyId, owner, emptySql);
  if (found === null) return null;
  const { contactId, mayAgree } = found;
  const [row] = await db.query<{
    company: string;
    email: string | null;
    phone: string | null;
    email_consent: ConsentState;
    sms_consent: ConsentState;
    properties: Record<string, unknown>;
    marketing_frequency: 'less_often' | null;
    paused_until: Date | null;
    lists: ShownPreferences['lists'];
  }>(sql`
    select k.name as company, c.email, c.phone, c.email_consent, c.sms_consent, c.properties, c.marketing_frequency,
      c.paused_until, coalesce((
        select json_agg(json_build_object('list_id', l.id, 'name', l.name, 'status', m.status) order by l.name, l.id)
        from list_memberships m join lists l on l.company_id = m.company_id and l.id = m.list_id
        where m.company_id = c.company_id and m.contact_id = c.id and l.deleted_at is null and not l.internal), '[]') as lists
    from contacts c join companies k using (company_id)
    where c.company_id = ${companyId} and c.id = ${contactId}`);
  if (row === undefined) return null;
  const { company, email, phone, properties, lists, marketing_frequency, paused_until: pausedUntil } = row;
  const channels: ShownPreferences['channels'] = {};
  if (email !== null) channels.email = { address: email, state: row.email_consent };
  if (phone !== null) channels.sms = { address: phone, state: row.sms_consent };
  return { company, properties, channels, lists, frequency: marketing_frequency ?? 'all', pausedUntil, mayAgree };
}

export interface FoundOwner {
  contactId: number;
  mayAgree: boolean;
}

/**
 * Returns the contact of a link; after a merge, the contact that now owns the message; null if neither exists. The holder of the message
 * may no longer own the address: they can always opt the contact out, but opt it in only if the message was sent to an address that the
 * contact still has.
 */
export async function findOwner(
  db: Queryable,
  companyId: number,
  { contactId, messageId }: LinkOwner,
  lock: Statement,
): Promise<FoundOwner | null> {
  const own = await db.query<{ id: number }>(sql`
    select c.id from contacts c where c.company_id = ${companyId} and c.id = ${contactId} ${lock}`);
  if (messageId === 0) return own[0] === undefined ? null : { contactId: own[0].id, mayAgree: true };
  const ofMessage = await db.query<{ id: number; may_agree: boolean }>(sql`
    select c.id, coalesce(m.recipient = case m.channel when 'email' then c.email else c.phone end, false) as may_agree
    from ledger m join contacts c on c.company_id = m.company_id and c.id = m.contact_id
    where m.company_id = ${companyId} and m.id = ${messageId} ${lock}`);
  const [heir] = ofMessage;
  if (own[0] === undefined) {
    if (heir !== undefined) return { contactId: heir.id, mayAgree: heir.may_agree };
    // The message was deleted for its age: the link still unsubscribes the contact into which its own was merged.
    const [merged] = await db.query<{ id: number }>(sql`
      select c.id from contacts c
      where c.company_id = ${companyId} and c.id = (
        select a.contact_id from contact_activity a
        where a.company_id = ${companyId} and a.type = 'merged' and (a.data ->> 'contact_id')::bigint = ${contactId} limit 1) ${lock}`);
    return merged === undefined ? null : { contactId: merged.id, mayAgree: false };
  }
  return { contactId: own[0].id, mayAgree: heir?.id === own[0].id && heir.may_agree };
}

/** Returns the address that the message was sent to; null if it is no longer stored. */
export async function findRecipient(tx: Tx, companyId: number, messageId: number): Promise<Address | null> {
  const rows = await tx.query<Address>(sql`
    select channel, recipient as address from ledger
    where company_id = ${companyId} and id = ${messageId} and recipient is not null`);
  return rows[0] ?? null;
}

/** Names of lists for their members, who are not told those of internal lists but the company's. */
export function findListNames(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<{ id: number; name: string }[]> {
  return db.query(sql`
    select l.id, case when l.internal then k.name else l.name end as name
    from lists l join companies k using (company_id)
    where company_id = ${companyId} and l.id = any(${ids}::bigint[])`);
}

/** Returns the contacts that are not subscribed to e-mail. */
export async function findWithoutConsent(db: Queryable, companyId: number, contactIds: number[]): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select id from contacts
    where company_id = ${companyId} and id = any(${contactIds}::bigint[]) and email is not null
      and email_consent <> 'subscribed' order by id`);
  return rows.map((row) => row.id);
}

/** Returns the preferred languages of contacts, and the one set by their company. */
export function findLanguageWishes(
  db: Queryable,
  companyId: number,
  contactIds: number[],
): Promise<{ contact_id: number; language: string | null; locale: string | null; standard: string | null }[]> {
  return db.query(sql`
    select c.id as contact_id, c.properties ->> 'language' as language, c.properties ->> 'locale' as locale,
      k.settings -> 'messaging' ->> 'language' as standard
    from contacts c join companies k using (company_id)
    where c.company_id = ${companyId} and c.id = any(${contactIds}::bigint[])`);
}

/** Returns the language of the contact with the address, or the company's. */
export async function findLanguage(
  db: Queryable,
  companyId: number,
  { email, standard }: { email: string; standard: Language },
): Promise<Language> {
  const rows = await db.query<{ properties: Record<string, unknown> }>(sql`
    select properties from contacts where company_id = ${companyId} and email = ${email}`);
  return chooseLanguage(rows[0]?.properties ?? {}, undefined, standard);
}
