import { hideFromPlanner } from '../../../db/planner-hints.ts';
import type { Queryable } from '../../../db/pool.ts';
import { type Statement, sql, unprepared } from '../../../db/sql.ts';
import { hasStatus, hasTerm, hasTermByIndex } from './conditions.ts';
import * as queries from './queries.ts';
import { all, type Bounds, type FoundPage, type KeptSet, keptTotal, type PageRow, pageOf, setOf } from './queries.ts';

/** The ids of a page; `exact` is false if `total` is only a lower bound. */
export interface Found extends queries.FoundPage {
  exact: boolean;
}

/** In a set of up to this many contacts, matches are counted exactly: those of a common term by a scan (12 ms). */
export const WHOLE = 50_000;
/** The number of newest contacts that are scanned to see whether a term is common (1 ms). */
const SAMPLE = 5_000;
/** With this many matches in the sample (5 %), continuing the scan is faster than the index. */
const COMMON = 250;
/** The number of newest contacts whose texts show which parts of a term are rare. */
const TEXTS = 500;
/** The maximum number of matches that are counted among more than `WHOLE` contacts. */
const COUNTED = 1_000;

/**
 * Contacts whose name or e-mail contains `term`. Scans a sample of the newest contacts first and goes on scanning if the term
 * is common; rare terms are found by the trigram index, short ones by the index of letter pairs.
 */
export async function search(
  db: Queryable,
  companyId: number,
  set: queries.KeptSet,
  { term, others }: { term: string; others: Statement[] },
  bounds: queries.Bounds,
): Promise<Found> {
  const { skip, take } = bounds;
  const conditions = [hasTerm(term), ...others];
  const lookAt = (newest: number, matches: number) =>
    walkNewest(db, companyId, set, conditions, { skip, take: take + 1, whole: newest, newest, matches });
  const matches = Math.max(COUNTED, skip + take) + 1;
  let walked = await lookAt(SAMPLE, matches);
  const { size } = walked;
  const isCommon = walked.total >= COMMON;
  if (size > SAMPLE && isCommon && (size <= WHOLE || walked.total <= COUNTED)) {
    walked = await lookAt(WHOLE, matches);
  }
  if (size <= (isCommon ? WHOLE : SAMPLE)) return { total: walked.total, ids: walked.ids.slice(0, take), exact: true };
  const isInside = walked.ids.length > take;
  if (walked.total > COUNTED && isInside) return atLeast(walked.ids, bounds);
  const { texts, isMost } = await sampleTexts(db, companyId, { limit: TEXTS, size });
  const limit = size <= WHOLE ? null : COUNTED + 1;
  const indexed = [hasTermByIndex(term, texts), ...others];
  const some = await findSome(db, companyId, set, indexed, { limit, isMost });
  if (limit === null || some.length < limit) {
    const ids = some.sort((a, b) => b - a).slice(skip, skip + take);
    return { total: some.length, ids, exact: true };
  }
  if (isInside) return atLeast(walked.ids, bounds);
  if (walked.total * (WHOLE / SAMPLE) > skip + take) {
    const { ids } = await lookAt(WHOLE, skip + take + 1);
    if (ids.length > take) return atLeast(ids, bounds);
  }
  return atLeast(await queries.findOrdered(db, companyId, set, conditions, { skip, take: take + 1 }), bounds);
}

/** If there are more matches, `ids` has one more than the page, so that paging reaches the last contact. */
function atLeast(ids: number[], { skip, take }: queries.Bounds): Found {
  return { total: Math.max(COUNTED, skip + ids.length), ids: ids.slice(0, take), exact: false };
}

interface Walk extends Bounds {
  /** A set of up to this many contacts is scanned completely. */
  whole: number;
  /** Of a larger set only this many of the newest contacts are scanned, */
  newest: number;
  /** until this many matches are found. */
  matches: number;
}

/** Scans the newest contacts of a set. `size` is the total of the set. */
async function walkNewest(
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
async function findSome(
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
async function sampleTexts(
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
