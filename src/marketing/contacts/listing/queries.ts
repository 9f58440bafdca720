import { findIds, orderBy, storedTotal } from '../../../db/lists.ts';
import { hideFromPlanner } from '../../../db/planner-hints.ts';
import type { Queryable } from '../../../db/pool.ts';
import { emptySql, joinSql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import { walkSorted } from '../../../db/walk-sorted.ts';
import type { Sort } from '../../../lib/sorting.ts';
import type { MembershipStatus } from '../../../recipients/consent.ts';
import type { ContactStatus } from '../status.ts';

/** A set of contacts whose total is stored: all, those with a status, or those of a list. */
export interface KeptSet {
  status?: ContactStatus | undefined;
  list?: { id: number; statuses: MembershipStatus[] } | undefined;
}

export interface Bounds {
  /** The number of contacts before the page. */
  skip: number;
  take: number;
}

/** The ids of a page, and the total number of contacts. */
export interface FoundPage {
  total: number;
  ids: number[];
}

export interface PageRow {
  total: number;
  id: number | null;
}

/** FROM and WHERE for the set's contacts (alias c); more conditions may be appended. */
export function setOf(companyId: number, set: KeptSet): Statement {
  if (set.list !== undefined) {
    return sql`from list_memberships m join contacts c on c.company_id = m.company_id and c.id = m.contact_id
      where m.company_id = ${hideFromPlanner(companyId)} and m.list_id = ${set.list.id}
        and m.status = any(${set.list.statuses}::text[])`;
  }
  return set.status === undefined
    ? sql`from contacts c where c.company_id = ${companyId}`
    : sql`from contacts c where c.company_id = ${companyId} and c.status = ${set.status}`;
}

/**
 * A bound on the ids of the set's contacts, such as `> 5`. For a list it is stated on both sides of the join: PostgreSQL does not derive
 * one from the other, and would read the list from its beginning for each page.
 */
export function idIs(set: KeptSet, bound: Statement): Statement {
  return set.list === undefined ? sql`c.id ${bound}` : sql`c.id ${bound} and m.contact_id ${bound}`;
}

/** A query for the stored total of the set. */
export function keptTotal(companyId: number, set: KeptSet): Statement {
  if (set.list !== undefined) return storedTotal(companyId, `list:${set.list.id}`, set.list.statuses);
  return storedTotal(companyId, 'contacts', set.status === undefined ? null : [set.status]);
}

/** The stored total of a set. */
export async function findKeptTotal(db: Queryable, companyId: number, set: KeptSet): Promise<number> {
  const rows = await db.query<{ total: number }>(keptTotal(companyId, set));
  return rows[0]!.total;
}

/** Sort keys on alias c. */
const KEYS = {
  email: rawSql('c.email'),
  last_activity: rawSql(
    '(select a.last_activity_at from contact_last_activity a where a.company_id = c.company_id and a.contact_id = c.id)',
  ),
};
const ID = rawSql('c.id');
export type ContactSort = Sort<keyof typeof KEYS>;

/** A page of a set without further conditions, with its stored total; of a list, only by age. */
export function findKeptPage(
  db: Queryable,
  companyId: number,
  set: KeptSet,
  { key, direction }: ContactSort,
  bounds: Bounds,
): Promise<FoundPage> {
  const total = keptTotal(companyId, set);
  if (key === 'last_activity') {
    const of =
      set.status === undefined
        ? emptySql
        : sql`and exists (
            select from contacts c where c.company_id = ${companyId} and c.id = a.contact_id and c.status = ${set.status} offset 0)`;
    const order = orderBy({ key: rawSql('a.last_activity_at'), id: rawSql('a.contact_id') }, direction);
    const ids = sql`select a.contact_id as id from contact_last_activity a where a.company_id = ${companyId} ${of} ${order}`;
    return findIds(db, { total, ids }, bounds);
  }
  if (set.list !== undefined) {
    // Every member is a contact, so that the index of memberships is enough.
    const ids = sql`select m.contact_id as id from list_memberships m
      where m.company_id = ${companyId} and m.list_id = ${set.list.id} and m.status = any(${set.list.statuses}::text[])
      ${orderBy({ key: null, id: rawSql('m.contact_id') }, direction)}`;
    return findIds(db, { total, ids }, bounds);
  }
  const order = orderBy({ key: key === null ? null : KEYS[key], id: ID }, direction);
  return findIds(db, { total, ids: sql`select c.id ${setOf(companyId, set)} ${order}` }, bounds);
}

/** The ids of all contacts of a set in the given order, in pages. `set` is FROM and WHERE on alias c. */
export function walkContacts(
  db: Queryable,
  companyId: number,
  set: Statement,
  { key, direction }: ContactSort,
  readAtOnce?: number,
): AsyncGenerator<number[]> {
  const atOnce = readAtOnce === undefined ? {} : { readAtOnce };
  if (key === null) return walkSorted(db, { from: set, id: ID, key: null, ...atOnce }, direction);
  if (key === 'email') {
    const email = { value: KEYS.email, type: 'text', nulls: 'first where descending' } as const;
    return walkSorted(db, { from: set, id: ID, key: email, ...atOnce }, direction);
  }
  const from = sql`from contact_last_activity a join (select c.id ${set}) m on m.id = a.contact_id where a.company_id = ${companyId}`;
  const at = { value: rawSql('a.last_activity_at'), type: 'timestamptz' } as const;
  return walkSorted(db, { from, id: rawSql('a.contact_id'), key: at, ...atOnce }, direction);
}

/** A page of a set with conditions on alias c; the total is counted. */
export async function findCountedPage(
  db: Queryable,
  companyId: number,
  set: KeptSet,
  conditions: Statement[],
  { key, direction }: ContactSort,
  bounds: Bounds,
): Promise<FoundPage> {
  const order = { key: key === null ? null : rawSql('key'), id: rawSql('id') };
  const value = key === null ? rawSql('null') : KEYS[key];
  const rows = await db.query<PageRow>(sql`
    with found as materialized (
      select c.id, ${value} as key ${setOf(companyId, set)} and ${all([...conditions, rawSql('true')])}
    )
    select n.total, page.id from (select count(*) as total from found) n
    left join lateral (
      select id from found ${orderBy(order, direction)} offset ${bounds.skip} limit ${bounds.take}
    ) page on true`);
  return pageOf(rows);
}

/** A page of a set with conditions, newest first; scans only as far as needed. */
export async function findOrdered(
  db: Queryable,
  companyId: number,
  set: KeptSet,
  conditions: Statement[],
  bounds: Bounds,
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select c.id ${setOf(companyId, set)} and ${all(conditions)}
    order by c.id desc offset ${bounds.skip} limit ${bounds.take}`);
  return rows.map((row) => row.id);
}

export function all(conditions: Statement[]): Statement {
  return joinSql(conditions, ' and ');
}

export function pageOf(rows: PageRow[]): FoundPage {
  return { total: rows[0]?.total ?? 0, ids: rows.flatMap((row) => row.id ?? []) };
}

/** The id of the contact that has `newer` contacts above it; undefined if there are not that many. */
export async function findIdAfter(db: Queryable, companyId: number, newer: number): Promise<number | undefined> {
  const rows = await db.query<{ id: number }>(sql`
    select id from contacts where company_id = ${companyId} order by id desc offset ${newer} limit 1`);
  return rows[0]?.id;
}
