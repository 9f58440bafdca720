import { foldText } from '../../../db/fold.ts';
import type { Db, Queryable, Tx } from '../../../db/pool.ts';
import type { Statement } from '../../../db/sql.ts';
import { type Page, pageOf } from '../../../lib/paging.ts';
import { findListSettings } from '../../lists/service.ts';
import { countSegment, inSnapshot, segmentCondition } from '../../segments/service.ts';
import type { ContactQuery } from '../contract.ts';
import { type ContactRecord, loadContacts } from '../service.ts';
import * as queries from './queries.ts';

export interface ContactPage extends Page<ContactRecord> {
  /** False where `total` is only how many there are at least. */
  exact: boolean;
}

interface Found extends queries.FoundPage {
  exact: boolean;
}

/** Among up to so many contacts all are counted that a search finds: a common term by looking at each (12 ms). */
const WHOLE = 50_000;
/** A look at so many of the newest tells whether a term is common (1 ms). */
const SAMPLE = 5_000;
/** So many in the sample, one in twenty, are sooner counted by looking on than through the index. */
const COMMON = 250;
/** So many of the newest tell which parts of a term are rare. */
const TEXTS = 500;
/** Contacts beyond those among which the page of a segment should be. */
const MARGIN = 500;
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
  return inSnapshot(db, companyId, async (tx, addedUpTo) => {
    const conditionOf = (from?: number) => segmentCondition(tx, companyId, segmentId, now, addedUpTo, from);
    if (isFiltered(query)) return find(tx, companyId, query, bounds, [await conditionOf()]);
    const total = await countSegment(tx, companyId, segmentId, now, addedUpTo);
    return { total, ids: await findSegmentPage(tx, companyId, conditionOf, total, bounds), exact: true };
  });
}

/**
 * A page of a whole segment, of which `total` are known to be in this snapshot. It is looked for among twice as many of the
 * newest contacts as should be enough: to ask of all whether they are in it just to show twenty took as long as to count
 * them once more.
 */
async function findSegmentPage(
  tx: Tx,
  companyId: number,
  conditionOf: (from?: number) => Promise<Statement>,
  total: number,
  bounds: queries.Bounds,
): Promise<number[]> {
  const wanted = Math.min(bounds.take, total - bounds.skip);
  if (wanted <= 0) return [];
  const { total: size } = await queries.findKeptPage(tx, companyId, {}, { skip: 0, take: 0 });
  const newest = Math.ceil(((bounds.skip + wanted) / total) * size * 2) + MARGIN;
  const from = newest > WHOLE ? undefined : await queries.findIdAfter(tx, companyId, newest);
  if (from !== undefined) {
    const ids = await queries.findOrdered(tx, companyId, {}, [queries.isFrom(from), await conditionOf(from)], bounds);
    if (ids.length === wanted) return ids;
  }
  return queries.findOrdered(tx, companyId, {}, [await conditionOf()], bounds);
}

function isFiltered({ status, list_id, tag, search }: ContactQuery): boolean {
  return status !== undefined || list_id !== undefined || tag !== undefined || foldText(search ?? '') !== '';
}

async function find(
  db: Queryable,
  companyId: number,
  query: ContactQuery,
  bounds: queries.Bounds,
  others: readonly Statement[],
): Promise<Found> {
  const set: queries.KeptSet = { status: query.list_id === undefined ? query.status : undefined };
  const conditions: Statement[] = [...others];
  if (query.list_id !== undefined) {
    const [list] = await findListSettings(db, companyId, [query.list_id]);
    if (list === undefined) return { total: 0, ids: [], exact: true };
    set.list = { id: list.id, statuses: query.list_status === undefined ? ['active', 'pending'] : [query.list_status] };
    // What nearly all have is no way to find anybody.
    const hasStatus = query.status === 'subscribed' ? queries.hasStatusByLookUp : queries.hasStatus;
    if (query.status !== undefined) conditions.push(hasStatus(query.status));
  }
  if (query.tag !== undefined) conditions.push(queries.hasTag(query.tag));
  const term = foldText(query.search ?? '');
  if (term !== '') return search(db, companyId, set, { term, others: conditions }, bounds);
  const found =
    conditions.length === 0
      ? await queries.findKeptPage(db, companyId, set, bounds)
      : await queries.findCountedPage(db, companyId, set, conditions, bounds);
  return { ...found, exact: true };
}

/**
 * A search looks at some of the newest contacts first, and further on for a term that many have; what is rarer comes from
 * the index of trigrams, or from that of pairs of letters. Among up to 50,000 contacts all are counted that have it.
 */
async function search(
  db: Queryable,
  companyId: number,
  set: queries.KeptSet,
  { term, others }: { term: string; others: Statement[] },
  bounds: queries.Bounds,
): Promise<Found> {
  const { skip, take } = bounds;
  const conditions = [queries.hasTerm(term), ...others];
  const lookAt = (newest: number, matches: number) =>
    queries.walkNewest(db, companyId, set, conditions, { skip, take: take + 1, whole: newest, newest, matches });
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
  const { texts, isMost } = await queries.sampleTexts(db, companyId, { limit: TEXTS, size });
  const limit = size <= WHOLE ? null : COUNTED + 1;
  const indexed = [queries.hasTermByIndex(term, texts), ...others];
  const some = await queries.findSome(db, companyId, set, indexed, { limit, isMost });
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

/** `ids` are the page's and the next one, if there is one: whoever turns the pages one by one comes to the very last. */
function atLeast(ids: number[], { skip, take }: queries.Bounds): Found {
  return { total: Math.max(COUNTED, skip + ids.length), ids: ids.slice(0, take), exact: false };
}
