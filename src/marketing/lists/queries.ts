import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Consent, MembershipStatus } from './membership.ts';

export interface ListSettings {
  id: number;
  name: string;
  double_opt_in: boolean;
}

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

/** Those of the lists that exist. */
export function findListSettings(db: Queryable, companyId: number, ids: number[]): Promise<ListSettings[]> {
  return db.query<ListSettings>(sql`
    select id, name, double_opt_in from lists
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and deleted_at is null`);
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
 * Puts contacts on lists with the statuses that `joinStatus` gave, and logs it. A membership that came up meanwhile is
 * left, unless it is asked again from one that had left. Gives what was written.
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
      returning m.list_id, m.contact_id, m.status, m.updated_at
    ),
    logged as (
      insert into contact_activity (company_id, contact_id, type, data, created_at)
      select ${companyId}, contact_id, 'list_changed', jsonb_build_object('list_id', list_id, 'status', status), updated_at
      from written
    )
    select list_id, contact_id, status from written`);
}

/**
 * Takes contacts off lists, as if they had never been on them; logged. Who left a list by themselves stays there as one who
 * left: taken off and put on again they would be back against their will.
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

/** Moves memberships that have one of the statuses `from` to `to`; logged. Gives what was moved. */
export function moveMemberships(
  tx: Tx,
  companyId: number,
  pairs: Pair[],
  move: { from: MembershipStatus[]; to: MembershipStatus; consent: Consent | null; now: Date },
): Promise<MembershipRow[]> {
  return tx.query<MembershipRow>(sql`
    with moved as (
      update list_memberships m
      set status = ${move.to}, updated_at = ${move.now},
        consent_at = coalesce(${move.consent?.at ?? null}, m.consent_at),
        consent_source = coalesce(${move.consent?.source ?? null}, m.consent_source),
        consent_ip = coalesce(${move.consent?.ip ?? null}, m.consent_ip)
      from unnest(${pairs.map((p) => p.listId)}::bigint[], ${pairs.map((p) => p.contactId)}::bigint[])
        as v (list_id, contact_id)
      where m.company_id = ${companyId} and m.list_id = v.list_id and m.contact_id = v.contact_id
        and m.status = any(${move.from}::text[])
      returning m.list_id, m.contact_id, m.status
    ),
    logged as (
      insert into contact_activity (company_id, contact_id, type, data, created_at)
      select ${companyId}, contact_id, 'list_changed', jsonb_build_object('list_id', list_id, 'status', status),
        ${move.now}::timestamptz
      from moved
    )
    select list_id, contact_id, status from moved`);
}

/**
 * Pending memberships of contacts who are asked otherwise, by one message for all of these lists; logged. Whoever is on a list,
 * or left it, stays as they are until they confirm.
 */
export async function insertPending(tx: Tx, companyId: number, pairs: Pair[], consent: Consent): Promise<void> {
  await tx.query(sql`
    with written as (
      insert into list_memberships (company_id, list_id, contact_id, status, consent_at, consent_source, consent_ip,
        confirmation_queued_at, created_at, updated_at)
      select ${companyId}, l.id, v.contact_id, 'pending', ${consent.at}, ${consent.source}, ${consent.ip}, ${consent.at},
        ${consent.at}, ${consent.at}
      from unnest(${pairs.map((p) => p.listId)}::bigint[], ${pairs.map((p) => p.contactId)}::bigint[])
        as v (list_id, contact_id)
      join lists l on l.company_id = ${companyId} and l.id = v.list_id and l.deleted_at is null
      order by l.id, v.contact_id
      on conflict (company_id, list_id, contact_id) do nothing
      returning list_id, contact_id
    )
    insert into contact_activity (company_id, contact_id, type, data, created_at)
    select ${companyId}, contact_id, 'list_changed', jsonb_build_object('list_id', list_id, 'status', 'pending'),
      ${consent.at}::timestamptz
    from written`);
}

/** Active memberships of contacts who said yes to these lists, but for lists that they left after `askedAt`; logged. */
export async function upsertActive(
  tx: Tx,
  companyId: number,
  pairs: Pair[],
  consent: Consent,
  askedAt: Date,
): Promise<void> {
  await tx.query(sql`
    with written as (
      insert into list_memberships as m (company_id, list_id, contact_id, status, consent_at, consent_source, consent_ip,
        created_at, updated_at)
      select ${companyId}, l.id, v.contact_id, 'active', ${consent.at}, ${consent.source}, ${consent.ip}, ${consent.at},
        ${consent.at}
      from unnest(${pairs.map((p) => p.listId)}::bigint[], ${pairs.map((p) => p.contactId)}::bigint[])
        as v (list_id, contact_id)
      join lists l on l.company_id = ${companyId} and l.id = v.list_id and l.deleted_at is null
      order by l.id, v.contact_id
      on conflict (company_id, list_id, contact_id) do update
      set status = 'active', consent_at = excluded.consent_at, consent_source = excluded.consent_source,
        consent_ip = excluded.consent_ip, updated_at = excluded.updated_at
      where m.status = 'pending' or (m.status = 'unsubscribed' and m.updated_at <= ${askedAt})
      returning m.list_id, m.contact_id
    )
    insert into contact_activity (company_id, contact_id, type, data, created_at)
    select ${companyId}, contact_id, 'list_changed', jsonb_build_object('list_id', list_id, 'status', 'active'),
      ${consent.at}::timestamptz
    from written`);
}

export interface ListRow {
  id: number;
  name: string;
  description: string;
  double_opt_in: boolean;
  created_at: Date;
  updated_at: Date;
  active: number;
  pending: number;
  unsubscribed: number;
}

/** A list with its kept totals, over alias l. */
const listColumns = sql`l.id, l.name, l.description, l.double_opt_in, l.created_at, l.updated_at,
  coalesce(n.active, 0) as active, coalesce(n.pending, 0) as pending, coalesce(n.unsubscribed, 0) as unsubscribed`;

const keptTotals = sql`left join lateral (
  select (sum(n) filter (where facet = 'active'))::bigint as active,
    (sum(n) filter (where facet = 'pending'))::bigint as pending,
    (sum(n) filter (where facet = 'unsubscribed'))::bigint as unsubscribed
  from (
    select facet, n from list_counts where company_id = l.company_id and list = 'list:' || l.id
    union all
    select facet, n from list_count_deltas where company_id = l.company_id and list = 'list:' || l.id
  ) kept
) n on true`;

export async function findList(db: Queryable, companyId: number, id: number): Promise<ListRow | undefined> {
  const rows = await db.query<ListRow>(sql`
    select ${listColumns} from lists l ${keptTotals}
    where l.company_id = ${companyId} and l.id = ${id} and l.deleted_at is null`);
  return rows[0];
}

export async function findLists(
  db: Queryable,
  companyId: number,
  bounds: { skip: number; take: number },
): Promise<{ total: number; rows: ListRow[] }> {
  const rows = await db.query<(ListRow | { id: null }) & { total: number }>(sql`
    select n.total, page.*
    from (select count(*) as total from lists where company_id = ${companyId} and deleted_at is null) n
    left join lateral (
      select ${listColumns}
      from (
        select * from lists where company_id = ${companyId} and deleted_at is null
        order by id desc offset ${bounds.skip} limit ${bounds.take}
      ) l ${keptTotals}
      order by l.id desc
    ) page on true`);
  return { total: rows[0]!.total, rows: rows.filter((row): row is ListRow & { total: number } => row.id !== null) };
}

export async function insertList(
  tx: Tx,
  companyId: number,
  list: { name: string; description: string; doubleOptIn: boolean; now: Date },
): Promise<number> {
  const rows = await tx.query<{ id: number }>(sql`
    insert into lists (company_id, name, description, double_opt_in, created_at, updated_at)
    values (${companyId}, ${list.name}, ${list.description}, ${list.doubleOptIn}, ${list.now}, ${list.now})
    returning id`);
  return rows[0]!.id;
}

/** Undefined: unchanged. */
export function updateList(
  tx: Tx,
  companyId: number,
  id: number,
  change: { name: string | undefined; description: string | undefined; doubleOptIn: boolean | undefined; now: Date },
): Promise<unknown> {
  return tx.query(sql`
    update lists set name = coalesce(${change.name}, name), description = coalesce(${change.description}, description),
      double_opt_in = coalesce(${change.doubleOptIn}, double_opt_in), updated_at = ${change.now}
    where company_id = ${companyId} and id = ${id} and deleted_at is null`);
}

/** Whether there was such a list. */
export async function markDeleted(tx: Tx, companyId: number, id: number, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update lists set deleted_at = ${now} where company_id = ${companyId} and id = ${id} and deleted_at is null
    returning id`);
  return rows.length > 0;
}

/** Which of the ids and e-mails are contacts. */
export function findMembers(
  db: Queryable,
  companyId: number,
  keys: { ids: number[]; emails: string[] },
): Promise<{ id: number; email: string | null }[]> {
  return db.query(sql`
    select id, email from contacts
    where company_id = ${companyId} and (id = any(${keys.ids}::bigint[]) or email = any(${keys.emails}::text[]))`);
}

/** Takes up to `limit` memberships of deleted lists away, of whatever company. */
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

export interface Unconfirmed {
  company_id: number;
  list_id: number;
  contact_id: number;
  /** When they were put on the list, or on it again. */
  requested_at: Date;
}

/** Takes pending memberships that nobody has been asked to confirm, of whatever company, and notes that they are now. */
export function claimUnconfirmed(tx: Tx, limit: number, now: Date): Promise<Unconfirmed[]> {
  return tx.query<Unconfirmed>(sql`
    update list_memberships m set confirmation_queued_at = ${now}
    from (
      select m.company_id, m.list_id, m.contact_id
      from list_memberships m join lists l on l.company_id = m.company_id and l.id = m.list_id
      where m.status = 'pending' and m.confirmation_queued_at is null and l.deleted_at is null
      order by m.company_id, m.list_id, m.contact_id limit ${limit} for update of m skip locked
    ) v
    where m.company_id = v.company_id and m.list_id = v.list_id and m.contact_id = v.contact_id
    returning m.company_id, m.list_id, m.contact_id, m.updated_at as requested_at`);
}
