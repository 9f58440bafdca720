import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { PersonKeys } from './personal-texts.ts';

/** The contacts that became part of these. */
export async function findMerged(tx: Tx, companyId: number, ids: number[]): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select distinct (data ->> 'contact_id')::bigint as id from contact_activity
    where company_id = ${companyId} and contact_id = any(${ids}::bigint[]) and type = 'merged'`);
  return rows.map((row) => row.id);
}

/**
 * Addresses, numbers and ids that the contacts had before, or were written to under, but for what another contact has now. To be
 * asked when their rows are gone.
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

/** Those of the texts that contacts have now as e-mail address, number or id. */
export async function findHeldKeys(db: Queryable, companyId: number, texts: string[]): Promise<Set<string>> {
  const rows = await db.query<{ key: string }>(sql`
    select email as key from contacts where company_id = ${companyId} and email = any(${texts}::text[])
    union select phone from contacts where company_id = ${companyId} and phone = any(${texts}::text[])
    union select external_id from contacts where company_id = ${companyId} and external_id = any(${texts}::text[])`);
  return new Set(rows.map((row) => row.key));
}

/** The keys of contacts that are about to become part of another one: former ones of that one from now on. */
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

/** The contacts that a customer is on the marketing side: under their id first, then by the address, of a contact that is no customer's. */
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

/** Those of the contacts that were there at that moment: one made later under the same id is somebody else. */
export async function findOlderContacts(tx: Tx, companyId: number, ids: number[], at: Date): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select id from contacts
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and created_at <= ${at} order by id`);
  return rows.map((row) => row.id);
}
