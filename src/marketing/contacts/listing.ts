import { foldText } from '../../db/fold.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import type { Statement } from '../../db/sql.ts';
import type { Page } from '../../http/endpoint.ts';
import { pageOf } from '../../http/schemas.ts';
import { findListSettings } from '../lists/service.ts';
import { inSnapshot, segmentCondition } from '../segments/service.ts';
import type { ContactQuery } from './contract.ts';
import * as queries from './listing-queries.ts';
import { type ContactRecord, loadContacts } from './service.ts';

export interface ContactPage extends Page<ContactRecord> {
  /** False where `total` is only how many there are at least. */
  exact: boolean;
}

interface Found extends queries.FoundPage {
  exact: boolean;
}

/** Up to so many contacts are all looked through for a search, and what is found is counted (12 ms). */
const WHOLE = 50_000;
/** Among more, a look at so many of the newest tells whether a term is common (1 ms). */
const SAMPLE = 5_000;
/** So many in the sample, 3 %, are sooner counted by looking on than through the index. */
const COMMON = 150;
/** Matches that are counted among more contacts than `WHOLE`. */
const COUNTED = 1_000;

/** Contacts under the filters, newest first. A list or segment that does not exist has none. */
export async function listContacts(db: Db, companyId: number, query: ContactQuery, now: Date): Promise<ContactPage> {
  const { page, perPage } = pageOf(query);
  const bounds = { skip: (page - 1) * perPage, take: perPage };
  const found =
    query.segment_id === undefined
      ? await find(db, companyId, query, bounds, [])
      : await findInSegment(db, companyId, query, query.segment_id, bounds, now);
  const records = await loadContacts(db, companyId, found.ids);
  const rows = found.ids.flatMap((id) => records.get(id) ?? []);
  return { rows, total: found.total, exact: found.exact, page, perPage };
}

function findInSegment(
  db: Db,
  companyId: number,
  query: ContactQuery,
  segmentId: number,
  bounds: queries.Bounds,
  now: Date,
): Promise<Found> {
  return inSnapshot(db, async (tx, addedUpTo) => {
    const condition = await segmentCondition(tx, companyId, segmentId, now, addedUpTo);
    return find(tx, companyId, query, bounds, [condition]);
  });
}

async function find(
  db: Queryable,
  companyId: number,
  query: ContactQuery,
  bounds: queries.Bounds,
  others: readonly Statement[],
): Promise<Found> {
  const set: queries.KeptSet = { status: query.status };
  const conditions: Statement[] = [...others];
  if (query.list_id !== undefined) {
    const [list] = await findListSettings(db, companyId, [query.list_id]);
    if (list === undefined) return { total: 0, ids: [], exact: true };
    set.list = { id: list.id, statuses: query.list_status === undefined ? ['active', 'pending'] : [query.list_status] };
    if (query.status !== undefined) conditions.push(queries.hasStatus(query.status));
  }
  if (query.tag !== undefined) conditions.push(queries.hasTag(query.tag));
  const term = foldText(query.search ?? '');
  if (term !== '') return search(db, companyId, set, { term: queries.matchesTerm(term), others: conditions }, bounds);
  const found =
    conditions.length === 0
      ? await queries.findKeptPage(db, companyId, set, bounds)
      : await queries.findCountedPage(db, companyId, set, conditions, bounds);
  return { ...found, exact: true };
}

/**
 * A search among up to 50,000 contacts looks at each. Among more it looks at some of the newest first, and further on for
 * a term that many have; what is rarer comes from the index of trigrams, or from that of pairs of letters.
 */
async function search(
  db: Queryable,
  companyId: number,
  set: queries.KeptSet,
  { term, others }: { term: queries.TermCondition; others: Statement[] },
  bounds: queries.Bounds,
): Promise<Found> {
  const { skip, take } = bounds;
  const conditions = [term.each, ...others];
  const walk = { skip, take: take + 1, whole: WHOLE, matches: Math.max(COUNTED, skip + take) + 1 };
  let walked = await queries.walkNewest(db, companyId, set, conditions, { ...walk, newest: SAMPLE });
  if (walked.size <= WHOLE) return { total: walked.total, ids: walked.ids.slice(0, take), exact: true };
  if (walked.total >= COMMON && walked.total <= COUNTED) {
    walked = await queries.walkNewest(db, companyId, set, conditions, { ...walk, newest: WHOLE });
  }
  const isInside = walked.ids.length > take;
  if (walked.total > COUNTED && isInside) return atLeast(walked.ids, bounds);
  const some = await queries.findSome(db, companyId, set, [term.indexed, ...others], COUNTED + 1);
  if (some.length <= COUNTED) {
    const ids = some.sort((a, b) => b - a).slice(skip, skip + take);
    return { total: some.length, ids, exact: true };
  }
  if (isInside) return atLeast(walked.ids, bounds);
  return atLeast(await queries.findOrdered(db, companyId, set, conditions, { skip, take: take + 1 }), bounds);
}

/** `ids` are the page's and the next one, if there is one: whoever turns the pages one by one comes to the very last. */
function atLeast(ids: number[], { skip, take }: queries.Bounds): Found {
  return { total: Math.max(COUNTED, skip + ids.length), ids: ids.slice(0, take), exact: false };
}
