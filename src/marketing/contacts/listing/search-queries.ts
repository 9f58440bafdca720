import { hideFromPlanner } from '../../../db/planner-hints.ts';
import type { Queryable } from '../../../db/pool.ts';
import { type Statement, sql, unprepared } from '../../../db/sql.ts';
import { hasStatus } from './conditions.ts';
import { all, type Bounds, type FoundPage, type KeptSet, keptTotal, type PageRow, pageOf, setOf } from './queries.ts';

export interface Walk extends Bounds {
  /** A set of up to this many contacts is scanned completely. */
  whole: number;
  /** Of a larger set only this many of the newest contacts are scanned, */
  newest: number;
  /** until this many matches are found. */
  matches: number;
}

/** Scans the newest contacts of a set. `size` is the total of the set. */
export async function walkNewest(
  db: Queryable,
  companyId: number,
  set: KeptSet,
  conditions: Statement[],
  walk: Walk,
): Promise<FoundPage & { size: number }> {
  const rows = await db.query<PageRow & { size: number }>(sql`
    with kept as materialized (select total, total <= ${walk.whole} as whole from (${keptTotal(companyId, set)}) l),
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
 * Returns up to `limit` contacts of a set (null: all), unordered. The inner statement is planned without the limit, so that it uses the
 * trigram index, and is stopped at the limit. Not prepared, since a generic plan does not know which conditions are selective.
 * `isMost`: the company has most of all contacts; no index is used for `company_id` then, since it would read nearly all of itself.
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

/** The search texts of the newest contacts, and whether `size` is over half of all companies' contacts by the planner's estimate. */
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
