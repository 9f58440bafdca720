import type { Role } from '../../access/roles.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { type Choice, NOTICE_KINDS, type NoticeKind } from './kinds.ts';

/** The latest of each kind that are looked at: a person with more unread ones sees "99+". */
export const LATEST = 100;

export interface NewNotice {
  kind: NoticeKind;
  record: number | null;
  details: object;
}

/** Open pages are told by the mark of their company. */
export async function insertNotices(
  tx: Tx,
  companyId: number,
  notices: readonly NewNotice[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    with made as (
      insert into staff_notices (company_id, kind, record, details, created_at)
      select ${companyId}, kind, record, details, ${now}
      from unnest(${notices.map(({ kind }) => kind)}::text[], ${notices.map(({ record }) => record)}::bigint[],
        ${notices.map(({ details }) => JSON.stringify(details))}::jsonb[]) as t (kind, record, details)
    )
    insert into live_marks as m (company_id, kind, n) values (${companyId}, 'notices', 1)
    on conflict (company_id, kind) do update set n = m.n + 1`);
}

/** A person in a company. */
export interface Reader {
  companyId: number;
  personId: number;
}

export interface ChosenRow extends Choice {
  kind: string;
}

export function findChoices(db: Queryable, { companyId, personId }: Reader): Promise<ChosenRow[]> {
  return db.query<ChosenRow>(sql`
    select kind, app, mail from staff_notice_choices where company_id = ${companyId} and person_id = ${personId}`);
}

export async function upsertChoice(
  tx: Tx,
  { companyId, personId }: Reader,
  kind: NoticeKind,
  { app, mail }: Choice,
): Promise<void> {
  await tx.query(sql`
    insert into staff_notice_choices (company_id, person_id, kind, app, mail)
    values (${companyId}, ${personId}, ${kind}, ${app}, ${mail})
    on conflict (company_id, person_id, kind) do update set app = excluded.app, mail = excluded.mail`);
}

export interface NoticeRow {
  id: number;
  kind: NoticeKind;
  record: number | null;
  details: Record<string, unknown>;
  created_at: Date;
  read: boolean;
}

/**
 * Returns the latest hundred of each of the kinds since the person joined, newest first, by index scans that do not depend on how many there
 * are.
 */
export function listNotices(
  db: Queryable,
  { companyId, personId }: Reader,
  kinds: readonly NoticeKind[],
): Promise<NoticeRow[]> {
  return db.query<NoticeRow>(sql`
    select n.id, n.kind, n.record, n.details, n.created_at,
      n.id <= coalesce(r.up_to, 0) or n.id = any(coalesce(r.ids, '{}')) as read
    from members m
    left join staff_notice_reads r on r.company_id = m.company_id and r.person_id = m.person_id
    cross join unnest(${kinds}::text[]) k (kind)
    cross join lateral (
      select * from staff_notices n where n.company_id = ${companyId} and n.kind = k.kind
      order by n.id desc limit ${LATEST}) n
    where m.company_id = ${companyId} and m.person_id = ${personId} and n.created_at >= m.created_at
    order by n.id desc`);
}

export async function countUnread(db: Queryable, reader: Reader, kinds: readonly NoticeKind[]): Promise<number> {
  const { companyId, personId } = reader;
  const rows = await db.query<{ n: number }>(sql`
    select count(*)::int as n
    from members m
    left join staff_notice_reads r on r.company_id = m.company_id and r.person_id = m.person_id
    cross join unnest(${kinds}::text[]) k (kind)
    cross join lateral (
      select n.id, n.created_at from staff_notices n where n.company_id = ${companyId} and n.kind = k.kind
        and n.id > coalesce(r.up_to, 0)
      order by n.id desc limit ${LATEST}) n
    where m.company_id = ${companyId} and m.person_id = ${personId} and n.created_at >= m.created_at
      and n.id <> all(coalesce(r.ids, '{}'))`);
  return rows[0]!.n;
}

/** Marks everything up to the id as read. */
export async function readUpTo(tx: Tx, { companyId, personId }: Reader, id: number): Promise<void> {
  await tx.query(sql`
    insert into staff_notice_reads as r (company_id, person_id, up_to) values (${companyId}, ${personId}, ${id})
    on conflict (company_id, person_id) do update set up_to = greatest(r.up_to, excluded.up_to),
      ids = array(select i from unnest(r.ids) i where i > greatest(r.up_to, excluded.up_to))`);
}

/** Marks one as read. Of those, the highest hundred are remembered. */
export async function readOne(tx: Tx, { companyId, personId }: Reader, id: number): Promise<void> {
  await tx.query(sql`
    insert into staff_notice_reads as r (company_id, person_id, ids) values (${companyId}, ${personId}, array[${id}::bigint])
    on conflict (company_id, person_id) do update set
      ids = array(select i from unnest(r.ids || excluded.ids) i where i > r.up_to group by i order by i desc limit 100)`);
}

export interface DueRow {
  company_id: number;
  kind: NoticeKind;
}

/** Returns companies and kinds with notices for which no e-mail was written yet, and one may be. One probe of the primary key for each. */
export function findDue(db: Queryable, kinds: readonly NoticeKind[], now: Date): Promise<DueRow[]> {
  return db.query<DueRow>(sql`
    select c.company_id, k.kind from companies c cross join unnest(${kinds}::text[]) k (kind)
    left join staff_notice_mailings m on m.company_id = c.company_id and m.kind = k.kind
    where (m.next_at is null or m.next_at <= ${now}) and exists (
      select 1 from staff_notices n
      where n.company_id = c.company_id and n.kind = k.kind and n.id > coalesce(m.up_to, 0))
    order by 1, 2`);
}

/** Locks the kind and returns up to which notice e-mails were written; null if another process has just written them. */
export async function lockMailing(tx: Tx, { company_id, kind }: DueRow, now: Date): Promise<number | null> {
  await tx.query(sql`
    insert into staff_notice_mailings (company_id, kind, up_to, next_at) values (${company_id}, ${kind}, 0, ${now})
    on conflict (company_id, kind) do nothing`);
  const rows = await tx.query<{ up_to: number }>(sql`
    select up_to from staff_notice_mailings
    where company_id = ${company_id} and kind = ${kind} and next_at <= ${now} for update`);
  return rows[0]?.up_to ?? null;
}

export interface Gathered {
  count: number;
  last: number;
}

export async function countAfter(tx: Tx, { company_id, kind }: DueRow, upTo: number): Promise<Gathered> {
  const rows = await tx.query<Gathered>(sql`
    select count(*)::int as count, coalesce(max(id), ${upTo}) as last from staff_notices
    where company_id = ${company_id} and kind = ${kind} and id > ${upTo}`);
  return rows[0]!;
}

export function latestAfter(
  tx: Tx,
  { company_id, kind }: DueRow,
  upTo: number,
  limit: number,
): Promise<Pick<NoticeRow, 'record' | 'details'>[]> {
  return tx.query(sql`
    select record, details from staff_notices
    where company_id = ${company_id} and kind = ${kind} and id > ${upTo} order by id desc limit ${limit}`);
}

export async function updateMailing(tx: Tx, { company_id, kind }: DueRow, upTo: number, nextAt: Date): Promise<void> {
  await tx.query(sql`
    update staff_notice_mailings set up_to = ${upTo}, next_at = ${nextAt}
    where company_id = ${company_id} and kind = ${kind}`);
}

export interface Member {
  person_id: number;
  email: string;
  language: 'en' | 'de';
  role: Role;
  mail: boolean | null;
}

/** Returns the company's members with their choice for the kind. */
export function findMembers(tx: Tx, companyId: number, kind: NoticeKind): Promise<Member[]> {
  return tx.query<Member>(sql`
    select p.id as person_id, p.email, p.language, m.role, c.mail
    from members m join persons p on p.id = m.person_id
    left join staff_notice_choices c on c.company_id = m.company_id and c.person_id = m.person_id and c.kind = ${kind}
    where m.company_id = ${companyId} order by p.id limit 1000`);
}

/** Deletes notices that are older, the oldest of each company and kind first. Returns how many were deleted. */
export async function deleteOld(db: Queryable, before: Date, perKind: number): Promise<number> {
  const rows = await db.query(sql`
    delete from staff_notices d using companies c cross join unnest(${NOTICE_KINDS}::text[]) k (kind) cross join lateral (
      select n.id, n.created_at from staff_notices n where n.company_id = c.company_id and n.kind = k.kind
      order by n.id limit ${perKind}) old
    where d.company_id = c.company_id and d.kind = k.kind and d.id = old.id and old.created_at < ${before} returning 1`);
  return rows.length;
}
