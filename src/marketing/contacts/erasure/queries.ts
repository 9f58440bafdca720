import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { Contact } from '../contact.ts';
import type { ContactRow } from '../queries.ts';
import type { PersonKeys } from './personal-texts.ts';

/** Ids of contacts that were merged into the given ones. */
export async function findMerged(tx: Tx, companyId: number, ids: number[]): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select distinct (data ->> 'contact_id')::bigint as id from contact_activity
    where company_id = ${companyId} and contact_id = any(${ids}::bigint[]) and type = 'merged'`);
  return rows.map((row) => row.id);
}

/**
 * Former keys of the contacts, and addresses to which messages were sent to them, except those that another contact has now. Call it
 * after the contacts' rows are deleted.
 */
export function findFormerKeys(tx: Tx, companyId: number, ids: number[]): Promise<PersonKeys[]> {
  return tx.query<PersonKeys>(sql`
    with former as (
      select kind, value from contact_former_keys where company_id = ${companyId} and contact_id = any(${ids}::bigint[])
      union
      select case channel when 'email' then 'email' else 'phone' end, recipient from ledger
      where company_id = ${companyId} and contact_id = any(${ids}::bigint[]) and recipient is not null
      union
      select case channel when 'email' then 'email' else 'phone' end, address from contact_consents
      where company_id = ${companyId} and contact_id = any(${ids}::bigint[]) and address is not null
    )
    select case kind when 'email' then value end as email, case kind when 'phone' then value end as phone,
      case kind when 'external_id' then value end as external_id
    from former f
    where not exists (select from contacts c where c.company_id = ${companyId} and c.email = f.value)
      and not exists (select from contacts c where c.company_id = ${companyId} and c.phone = f.value)
      and not exists (select from contacts c where c.company_id = ${companyId} and c.external_id = f.value)`);
}

/** Those of the texts that are currently the e-mail address, phone or external id of a contact. */
export async function findHeldKeys(db: Queryable, companyId: number, texts: string[]): Promise<Set<string>> {
  const rows = await db.query<{ key: string }>(sql`
    select email as key from contacts where company_id = ${companyId} and email = any(${texts}::text[])
    union select phone from contacts where company_id = ${companyId} and phone = any(${texts}::text[])
    union select external_id from contacts where company_id = ${companyId} and external_id = any(${texts}::text[])`);
  return new Set(rows.map((row) => row.key));
}

/** Stores the keys of contacts that are about to be merged as former keys of `into`. */
export async function moveFormerKeys(tx: Tx, companyId: number, from: number[], into: number): Promise<void> {
  await tx.query(sql`
    with moved as (
      delete from contact_former_keys where company_id = ${companyId} and contact_id = any(${from}::bigint[])
      returning kind, value
    )
    insert into contact_former_keys (company_id, contact_id, kind, value)
    select ${companyId}::bigint, ${into}::bigint, kind, value from moved
    union
    select ${companyId}::bigint, ${into}::bigint, k.kind, k.value
    from contacts c, lateral (values ('email', c.email), ('phone', c.phone), ('external_id', c.external_id)) as k (kind, value)
    where c.company_id = ${companyId} and c.id = any(${from}::bigint[]) and k.value is not null
    on conflict do nothing`);
}

/** Contacts of a customer: first the one with their id as external_id, then one without external_id that has their e-mail. */
export async function findContactsOfCustomer(
  db: Queryable,
  companyId: number,
  customerId: number,
  email: string | null,
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select id, 1 as place from contacts where company_id = ${companyId} and external_id = ${String(customerId)}
    union all
    select id, 2 from contacts
    where company_id = ${companyId} and email = ${email?.toLowerCase() ?? null} and external_id is null
    order by place`);
  return rows.map((row) => row.id);
}

/** Those of the contacts that existed at `at`. After a restore, a later contact may have the same id. */
export async function findOlderContacts(tx: Tx, companyId: number, ids: number[], at: Date): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select id from contacts
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and created_at <= ${at} order by id`);
  return rows.map((row) => row.id);
}

/** The keys of those contacts that exist; takes no locks. */
export function findKeys(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<Pick<Contact, 'email' | 'phone' | 'external_id'>[]> {
  return db.query(sql`
    select email, phone, external_id from contacts where company_id = ${companyId} and id = any(${ids}::bigint[])`);
}

/** The keys and consents of a removed contact. */
type GoneContact = Pick<
  ContactRow,
  | 'id'
  | 'email'
  | 'phone'
  | 'external_id'
  | 'email_consent'
  | 'email_consent_source'
  | 'sms_consent'
  | 'sms_consent_source'
  | 'email_bounced'
>;

/** Deletes the contacts with their memberships, records the erasure, and returns those that existed. */
export function removeContacts(tx: Tx, companyId: number, ids: number[], now: Date): Promise<GoneContact[]> {
  return tx.query(sql`
    with gone as (
      delete from contacts where company_id = ${companyId} and id = any(${ids}::bigint[])
      returning id, email, phone, external_id, email_consent, email_consent_source, sms_consent, sms_consent_source,
        email_bounced
    ),
    noted as (
      insert into contact_erasures (company_id, contact_id, erased_at)
      select ${companyId}, id, ${now} from gone
      on conflict (company_id, contact_id) do nothing
    )
    select id, email, phone, external_id, email_consent, email_consent_source, sms_consent, sms_consent_source, email_bounced
    from gone`);
}
