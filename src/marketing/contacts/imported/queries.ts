import type { Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { type ContactRow, columns } from '../queries.ts';

export function lockContacts(tx: Tx, companyId: number, ids: number[]): Promise<ContactRow[]> {
  return tx.query<ContactRow>(sql`
    select ${columns} from contacts c where c.company_id = ${companyId} and c.id = any(${ids}::bigint[])
    order by c.id for no key update`);
}

/** Deletes those of the contacts that are unchanged since an import created them at `stamp`; returns their ids. */
export async function deleteUntouched(tx: Tx, companyId: number, ids: number[], stamp: Date): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    with untouched as materialized (
      select c.id from contacts c
      where c.company_id = ${companyId} and c.id = any(${ids}::bigint[]) and c.updated_at = ${stamp}
        and not exists (select from events e where e.company_id = ${companyId} and e.contact_id = c.id)
        and not exists (select from ledger m where m.company_id = ${companyId} and m.contact_id = c.id)
        and not exists (select from flow_runs r where r.company_id = ${companyId} and r.contact_id = c.id)
        and not exists (select from form_submissions s where s.company_id = ${companyId} and s.contact_id = c.id)
        and not exists (
          select from customers k
          where k.company_id = ${companyId} and k.erased_at is null
            and k.id = case when c.external_id ~ '^[1-9][0-9]{0,15}$' then c.external_id::bigint end)
        and not exists (
          select from list_memberships m where m.company_id = ${companyId} and m.contact_id = c.id
            and (m.created_at <> ${stamp} or m.updated_at <> ${stamp}))
      order by c.id for update of c
    ),
    consents as (
      delete from contact_consents x using untouched u where x.company_id = ${companyId} and x.contact_id = u.id
    ),
    activity as (
      delete from contact_activity x using untouched u where x.company_id = ${companyId} and x.contact_id = u.id
    )
    delete from contacts c using untouched u where c.company_id = ${companyId} and c.id = u.id returning c.id`);
  return rows.map((row) => row.id);
}

/** Removes the contact from a list that it was added to at `stamp`, unless that changed since. */
export async function leaveJoined(
  tx: Tx,
  companyId: number,
  { listId, contactId, stamp }: { listId: number; contactId: number; stamp: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from list_memberships
    where company_id = ${companyId} and list_id = ${listId} and contact_id = ${contactId} and created_at = ${stamp}
      and updated_at = ${stamp}
    returning 1 as gone`);
  return rows.length > 0;
}
