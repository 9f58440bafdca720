import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { SavedView, SavedViewInput } from './contract.ts';

/** The owner of views. */
export interface Owner {
  companyId: number;
  personId: number;
}

/** By name. */
export async function listViews(db: Queryable, { companyId, personId }: Owner, list: string): Promise<SavedView[]> {
  return db.query<SavedView>(sql`
    select id, list, name, search from saved_views
    where company_id = ${companyId} and person_id = ${personId} and list = ${list} order by lower(name), id`);
}

/** Serialises saves of the same person, so that the following count is correct. */
export async function lockOwner(tx: Tx, { companyId, personId }: Owner): Promise<void> {
  await tx.query(sql`
    select 1 from members where company_id = ${companyId} and person_id = ${personId} for no key update`);
}

/** Counts the person's other views of the list, except the one with this name. */
export async function countOthers(
  tx: Tx,
  { companyId, personId }: Owner,
  { list, name }: SavedViewInput,
): Promise<number> {
  const rows = await tx.query<{ n: number }>(sql`
    select count(*)::int as n from saved_views
    where company_id = ${companyId} and person_id = ${personId} and list = ${list} and name <> ${name}`);
  return rows[0]!.n;
}

export async function upsertView(
  tx: Tx,
  { companyId, personId }: Owner,
  { list, name, search }: SavedViewInput,
  now: Date,
): Promise<SavedView> {
  const rows = await tx.query<SavedView>(sql`
    insert into saved_views (company_id, person_id, list, name, search, created_at)
    values (${companyId}, ${personId}, ${list}, ${name}, ${search}, ${now})
    on conflict (company_id, person_id, list, name) do update set search = excluded.search
    returning id, list, name, search`);
  return rows[0]!;
}

export async function deleteView(tx: Tx, { companyId, personId }: Owner, id: number): Promise<SavedView | undefined> {
  const rows = await tx.query<SavedView>(sql`
    delete from saved_views where company_id = ${companyId} and person_id = ${personId} and id = ${id}
    returning id, list, name, search`);
  return rows[0];
}
