import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { MembershipStatus } from '../../recipients/consent.ts';
import { announceWritten } from './joined.ts';
import type { Consent } from './membership.ts';

export interface MembershipRow {
  list_id: number;
  contact_id: number;
  status: MembershipStatus;
}

export interface Pair {
  listId: number;
  contactId: number;
}

export interface Join extends Pair {
  status: MembershipStatus;
  consent: Consent;
  now: Date;
}

/** The memberships of contacts in lists that exist, by list. */
export function findMemberships(db: Queryable, companyId: number, contactIds: number[]): Promise<MembershipRow[]> {
  return db.query<MembershipRow>(sql`
    select m.contact_id, m.list_id, m.status
    from list_memberships m join lists l on l.company_id = m.company_id and l.id = m.list_id
    where m.company_id = ${companyId} and m.contact_id = any(${contactIds}::bigint[]) and l.deleted_at is null
    order by m.list_id`);
}

/**
 * Inserts memberships with the statuses from `joinStatus`, and logs them. A membership that was inserted meanwhile is kept, unless it
 * is `unsubscribed` and the new status is `pending`. Returns what was written.
 */
export function writeJoins(tx: Tx, companyId: number, joins: Join[]): Promise<MembershipRow[]> {
  return tx.query<MembershipRow>(sql`
    with written as (
      insert into list_memberships as m (company_id, list_id, contact_id, status, consent_at, consent_source, consent_ip,
        created_at, updated_at)
      select ${companyId}, v.list_id, v.contact_id, v.status, v.at, v.source, v.ip, v.now, v.now
      from unnest(${joins.map((j) => j.listId)}::bigint[], ${joins.map((j) => j.contactId)}::bigint[],
        ${joins.map((j) => j.status)}::text[], ${joins.map((j) => j.consent.at)}::timestamptz[],
        ${joins.map((j) => j.consent.source)}::text[], ${joins.map((j) => j.consent.ip)}::text[],
        ${joins.map((j) => j.now)}::timestamptz[]) as v (list_id, contact_id, status, at, source, ip, now)
      join contacts c on c.company_id = ${companyId} and c.id = v.contact_id
      order by v.list_id, v.contact_id
      on conflict (company_id, list_id, contact_id) do update
      set status = excluded.status, consent_at = excluded.consent_at, consent_source = excluded.consent_source,
        consent_ip = excluded.consent_ip, confirmation_queued_at = null, updated_at = excluded.updated_at
      where m.status = 'unsubscribed' and excluded.status = 'pending'
      returning m.list_id, m.contact_id, m.status, m.consent_source, m.updated_at
    ),
    logged as (
      insert into contact_activity (company_id, contact_id, type, data, created_at)
      select ${companyId}, contact_id, 'list_changed', jsonb_build_object('list_id', list_id, 'status', status), updated_at
      from written
    ),
    announced as (${announceWritten(companyId)})
    select list_id, contact_id, status from written`);
}

/**
 * Removes contacts from lists, as if they had never been on them, and logs it. Unsubscribed memberships stay: otherwise a contact that
 * was removed and added again would be subscribed against its will.
 */
export function deleteMemberships(tx: Tx, companyId: number, pairs: Pair[], now: Date): Promise<MembershipRow[]> {
  return tx.query<MembershipRow>(sql`
    with gone as (
      delete from list_memberships m
      using unnest(${pairs.map((p) => p.listId)}::bigint[], ${pairs.map((p) => p.contactId)}::bigint[])
        as v (list_id, contact_id)
      where m.company_id = ${companyId} and m.list_id = v.list_id and m.contact_id = v.contact_id
        and m.status <> 'unsubscribed'
      returning m.list_id, m.contact_id, m.status
    ),
    logged as (
      insert into contact_activity (company_id, contact_id, type, data, created_at)
      select ${companyId}, contact_id, 'list_changed', jsonb_build_object('list_id', list_id, 'status', 'removed'),
        ${now}::timestamptz
      from gone
    )
    select list_id, contact_id, status from gone`);
}

/** Changes memberships from one of the statuses `from` to `to`, and logs it. Returns the changed ones. */
export function updateMemberships(
  tx: Tx,
  companyId: number,
  pairs: Pair[],
  move: { from: MembershipStatus[]; to: MembershipStatus; consent: Consent | null; now: Date },
): Promise<MembershipRow[]> {
  return tx.query<MembershipRow>(sql`
    with written as (
      update list_memberships m
      set status = ${move.to}, updated_at = ${move.now},
        consent_at = coalesce(${move.consent?.at ?? null}, m.consent_at),
        consent_source = coalesce(${move.consent?.source ?? null}, m.consent_source),
        consent_ip = coalesce(${move.consent?.ip ?? null}, m.consent_ip)
      from unnest(${pairs.map((p) => p.listId)}::bigint[], ${pairs.map((p) => p.contactId)}::bigint[])
        as v (list_id, contact_id)
      where m.company_id = ${companyId} and m.list_id = v.list_id and m.contact_id = v.contact_id
        and m.status = any(${move.from}::text[])
      returning m.list_id, m.contact_id, m.status, m.consent_source, m.updated_at
    ),
    logged as (
      insert into contact_activity (company_id, contact_id, type, data, created_at)
      select ${companyId}, contact_id, 'list_changed', jsonb_build_object('list_id', list_id, 'status', status),
        ${move.now}::timestamptz
      from written
    ),
    announced as (${announceWritten(companyId)})
    select list_id, contact_id, status from written`);
}

/** Finds the contacts with these ids or e-mails. */
export function findMembers(
  db: Queryable,
  companyId: number,
  keys: { ids: number[]; emails: string[] },
): Promise<{ id: number; email: string | null }[]> {
  return db.query(sql`
    select id, email from contacts
    where company_id = ${companyId} and (id = any(${keys.ids}::bigint[]) or email = any(${keys.emails}::text[]))`);
}

/** Deletes up to `limit` memberships of deleted lists, of all companies. Returns their number. */
export async function purgeDeletedMemberships(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with gone as (
      delete from list_memberships m using (
        select m.company_id, m.list_id, m.contact_id
        from lists l join list_memberships m on m.company_id = l.company_id and m.list_id = l.id
        where l.deleted_at is not null limit ${limit}
      ) v
      where m.company_id = v.company_id and m.list_id = v.list_id and m.contact_id = v.contact_id
      returning 1
    )
    select count(*) as n from gone`);
  return rows[0]!.n;
}
