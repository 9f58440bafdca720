import type { Queryable } from '../../../db/pool.ts';
import { hideFromPlanner } from '../../../db/planner-hints.ts';
import { joinSql, likeAnywhere, type Statement, sql, unprepared } from '../../../db/sql.ts';
import type { MembershipStatus } from '../../lists/membership.ts';
import type { ContactStatus } from '../status.ts';
import { hasTrigram, rareParts } from './rare-parts.ts';

/** Contacts whose total is kept: all, those of one status, or a list's. */
export interface KeptSet {
  status?: ContactStatus | undefined;
  list?: { id: number; statuses: MembershipStatus[] } | undefined;
}

export interface Bounds {
  /** Contacts before the page. */
  skip: number;
  take: number;
}

/** The ids of a page, newest first, and how many contacts there are. */
export interface FoundPage {
  total: number;
  ids: number[];
}

interface PageRow {
  total: number;
  id: number | null;
}

/** The set's contacts as alias c, from FROM to the end of WHERE; more conditions may follow. */
function setOf(companyId: number, set: KeptSet): Statement {
  if (set.list !== undefined) {
    return sql`from list_memberships m join contacts c on c.company_id = m.company_id and c.id = m.contact_id
      where m.company_id = ${hideFromPlanner(companyId)} and m.list_id = ${set.list.id}
        and m.status = any(${set.list.statuses}::text[])`;
  }
  return set.status === undefined
    ? sql`from contacts c where c.company_id = ${companyId}`
    : sql`from contacts c where c.company_id = ${companyId} and c.status = ${set.status}`;
}

/** What `locate_page` knows the set by. */
function keptTotals(companyId: number, set: KeptSet, skip: number): Statement {
  const list = set.list === undefined ? 'contacts' : `list:${set.list.id}`;
  const facets = set.list?.statuses ?? (set.status === undefined ? null : [set.status]);
  return sql`locate_page(${companyId}, ${list}, ${facets}::text[], null, null, ${skip})`;
}

/** A page of a whole set, by its kept total. */
export async function findKeptPage(db: Queryable, companyId: number, set: KeptSet, bounds: Bounds): Promise<FoundPage> {
  const rows = await db.query<PageRow>(sql`
    select l.total, page.id from ${keptTotals(companyId, set, bounds.skip)} l
    left join lateral (
      select c.id ${setOf(companyId, set)} and c.id < l.below order by c.id desc offset l.rest limit ${bounds.take}
    ) page on true`);
  return pageOf(rows);
}

/** A page of a set under conditions on alias c, counted. */
export async function findCountedPage(
  db: Queryable,
  companyId: number,
  set: KeptSet,
  conditions: Statement[],
  bounds: Bounds,
): Promise<FoundPage> {
  const rows = await db.query<PageRow>(sql`
    with found as materialized (select c.id ${setOf(companyId, set)} and ${all(conditions)})
    select n.total, page.id from (select count(*) as total from found) n
    left join lateral (
      select id from found order by id desc offset ${bounds.skip} limit ${bounds.take}
    ) page on true`);
  return pageOf(rows);
}

export interface Walk extends Bounds {
  /** A set of up to so many contacts is looked through as a whole. */
  whole: number;
  /** Of a larger one so many contacts, the newest … */
  newest: number;
  /** … until so many were found. */
  matches: number;
}

/** Looks through the newest contacts of a set. `size` is the set's own total. */
export async function walkNewest(
  db: Queryable,
  companyId: number,
  set: KeptSet,
  conditions: Statement[],
  walk: Walk,
): Promise<FoundPage & { size: number }> {
  const rows = await db.query<PageRow & { size: number }>(sql`
    with kept as materialized (select total, total <= ${walk.whole} as whole from ${keptTotals(companyId, set, 0)}),
    found as materialized (
      select c.id from (
        select c.* ${setOf(companyId, set)} order by c.id desc
        limit (select case when whole then null else ${walk.newest}::bigint end from kept)
      ) c where ${all(conditions)}
      limit (select case when whole then null else ${walk.matches}::bigint end from kept)
    )
    select kept.total as size, (select count(*) from found) as total, page.id from kept
    left join lateral (select id from found order by id desc offset ${walk.skip} limit ${walk.take}) page on true`);
  return { size: rows[0]!.size, ...pageOf(rows) };
}

/**
 * Up to `limit` contacts of a set (null: all), in no order. The inner statement is planned as if all were wanted, which takes the
 * trigram index where there is one to take, and is stopped when there are enough. Planned for its very values: a plan for
 * any would not know which conditions are worth an index. `isMost`: the company has most of all contacts, and the index is
 * not asked for its list of them, which takes as long to read as everything else.
 */
export async function findSome(
  db: Queryable,
  companyId: number,
  set: KeptSet,
  conditions: Statement[],
  { limit, isMost }: { limit: number | null; isMost: boolean },
): Promise<number[]> {
  const onList =
    set.list === undefined
      ? sql`true`
      : sql`exists (select from list_memberships m where m.company_id = ${hideFromPlanner(companyId)} and m.list_id = ${set.list.id}
          and m.contact_id = c.id and m.status = any(${set.list.statuses}::text[]))`;
  const ofCompany = isMost ? sql`c.company_id + 0 = ${companyId}` : sql`c.company_id = ${companyId}`;
  const inStatus = set.status === undefined ? sql`true` : hasStatus(set.status);
  const statement = sql`
    with found as materialized (
      select c.id from contacts c where ${ofCompany} and ${inStatus} and ${onList} and ${all(conditions)}
    )
    select id from found limit ${limit}`;
  const rows = await db.query<{ id: number }>(unprepared(statement));
  return rows.map((row) => row.id);
}

/**
 * What a search looks through of the newest contacts, and whether `size` are more than half of all companies' contacts, as
 * the database knows without counting.
 */
export async function sampleTexts(
  db: Queryable,
  companyId: number,
  { limit, size }: { limit: number; size: number },
): Promise<{ texts: string[]; isMost: boolean }> {
  const rows = await db.query<{ texts: string[]; isMost: boolean }>(sql`
    select coalesce(json_agg(search), '[]') as texts,
      (select ${size}::float8 * 2 > reltuples from pg_class where oid = 'contacts'::regclass) as "isMost"
    from (select search from contacts where company_id = ${companyId} order by id desc limit ${limit}) newest`);
  return rows[0]!;
}

/** A page of a set under conditions, newest first, as far as it has to be looked through. */
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

function all(conditions: Statement[]): Statement {
  return joinSql(conditions, ' and ');
}

function pageOf(rows: PageRow[]): FoundPage {
  return { total: rows[0]?.total ?? 0, ids: rows.flatMap((row) => row.id ?? []) };
}

/** The id of which so many contacts are newer; undefined where there are no more than so many. */
export async function findIdAfter(db: Queryable, companyId: number, newer: number): Promise<number | undefined> {
  const rows = await db.query<{ id: number }>(sql`
    select id from contacts where company_id = ${companyId} order by id desc offset ${newer} limit 1`);
  return rows[0]?.id;
}

export function isFrom(id: number): Statement {
  return sql`c.id >= ${id}`;
}

export function hasStatus(status: ContactStatus): Statement {
  return sql`c.status = ${status}`;
}

/**
 * The same as no condition of an index. With `hideFromPlanner` it keeps a list that was filled just now, or a company that no
 * statistics know of yet, from being taken for nearly empty: then contacts were found by a status that nearly all have, and
 * all of the company's were looked at for each member, minutes for 100,000 in place of a sixth of a second.
 */
export function hasStatusByLookUp(status: ContactStatus): Statement {
  return sql`(c.status = ${status}) is true`;
}

export function hasTag(tag: string): Statement {
  return sql`c.tags @> array[${tag}]::text[]`;
}

/** For contacts that are looked at one by one. `term` is folded. One without a trigram is kept away from their index. */
export function hasTerm(term: string): Statement {
  const pattern = likeAnywhere(term);
  return hasTrigram(term) ? sql`c.search like ${pattern}` : sql`c.search || '' like ${pattern}`;
}

/**
 * The same, by an index. `texts` are what other contacts are called: of a term with trigrams those parts are looked for in
 * their index that few have (see `rareParts`). One without any would have to read that index as a whole, and is found by
 * its pairs of letters.
 */
export function hasTermByIndex(term: string, texts: readonly string[]): Statement {
  const letters = [...term];
  const each = sql`c.search || '' like ${likeAnywhere(term)}`;
  if (letters.length > 2 && hasTrigram(term)) {
    return all([...rareParts(term, texts).map((part) => sql`c.search like ${likeAnywhere(part)}`), each]);
  }
  const pairs = sql`search_pairs(c.search) @@ ${pairsQuery(letters)}::tsquery`;
  return letters.length > 2 ? sql`${pairs} and ${each}` : pairs;
}

/** The words of `search_pairs` that a text with these letters side by side has: a tsquery. A single letter begins a pair wherever it stands, or is the last. */
export function pairsQuery(letters: string[]): string {
  if (letters.length === 1) return `${quoted(letters[0]!)}:*`;
  return letters
    .slice(1)
    .map((letter, i) => quoted(`${letters[i]}${letter}`))
    .join(' & ');
}

/** As a word of a tsquery. */
function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
