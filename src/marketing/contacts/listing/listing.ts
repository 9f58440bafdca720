import { foldText } from '../../../db/fold.ts';
import type { Db, Queryable, Tx } from '../../../db/pool.ts';
import type { Statement } from '../../../db/sql.ts';
import { invalidField } from '../../../errors.ts';
import { type Page, pageOf, partOf } from '../../../lib/paging.ts';
import { isDefault, sortOf } from '../../../lib/sorting.ts';
import { findListSettings } from '../../lists/service.ts';
import { countSegment, inSnapshot, segmentCondition } from '../../segments/service.ts';
import type { ContactQuery } from '../contract.ts';
import { findLastActivity } from '../last-activity.ts';
import { loadContacts, withActivity } from '../load.ts';
import type { ContactRecord } from '../record.ts';
import { hasStatus, hasStatusByLookUp, hasTag, isFrom } from './conditions.ts';
import { matching, nextMatchingContacts } from './matching.ts';
import * as queries from './queries.ts';
import { type Found, search, WHOLE } from './search.ts';

export interface ContactPage extends Page<ContactRecord> {
  /** False if `total` is only a lower bound. */
  exact: boolean;
}

/** Contacts of a segment that are read at a time in an order; the segment is evaluated anew for each batch. */
const OF_SEGMENT_AT_ONCE = 20_000;

/** Contacts added to the estimated range that is searched for a page of a segment. */
const MARGIN = 500;

/** Contacts that match the filters, in the order of `sort`. None if the list or segment does not exist. */
export async function listContacts(db: Db, companyId: number, query: ContactQuery, now: Date): Promise<ContactPage> {
  const { page, perPage, ...bounds } = pageOf(query);
  const found =
    query.segment_id === undefined
      ? await find(db, companyId, query, bounds, [])
      : await findInSegment(db, companyId, query, query.segment_id, bounds, now);
  const rows = await recordsOf(db, companyId, found.ids);
  return { rows, total: found.total, exact: found.exact, page, perPage };
}

/** Matching contacts after `place`, oldest first: a late page costs no more than the first one. */
export async function listBehind(
  db: Db,
  companyId: number,
  filters: ContactQuery,
  { place, limit, now }: { place: string | null; limit: number; now: Date },
): Promise<ContactPage & { next: string | null }> {
  const range = { after: Number(place), upto: Number.MAX_SAFE_INTEGER, limit, now };
  const ids = await nextMatchingContacts(db, companyId, filters, null, range);
  const next = ids.length < limit ? null : String(ids.at(-1));
  return { rows: await recordsOf(db, companyId, ids), total: ids.length, exact: false, page: 1, perPage: limit, next };
}

/** All matching contacts in the order of `sort`, in pages. */
export async function* contactsInOrder(
  db: Db,
  companyId: number,
  query: ContactQuery,
  now: Date,
): AsyncGenerator<ContactPage> {
  const sort = sortOf(query.sort);
  refuseSortedSearch(query, sort);
  const set = await matching(db, companyId, query, null, now);
  const readAtOnce = query.segment_id === undefined ? undefined : OF_SEGMENT_AT_ONCE;
  for await (const ids of queries.walkContacts(db, companyId, set, sort, readAtOnce))
    yield { ...partOf(await recordsOf(db, companyId, ids)), exact: false };
}

async function recordsOf(db: Db, companyId: number, ids: number[]): Promise<ContactRecord[]> {
  const [records, activity] = await Promise.all([
    loadContacts(db, companyId, ids),
    findLastActivity(db, companyId, ids),
  ]);
  return ids.flatMap((id) => {
    const record = records.get(id);
    return record === undefined ? [] : [withActivity(record, activity)];
  });
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
    if (isFiltered(query) || !isDefault(sortOf(query.sort)))
      return find(tx, companyId, query, bounds, [await conditionOf()]);
    const total = await countSegment(tx, companyId, segmentId, now, addedUpTo);
    return { total, ids: await findSegmentPage(tx, companyId, conditionOf, total, bounds), exact: true };
  });
}

/**
 * A page of a segment that has `total` contacts in this snapshot. Searches twice as many of the newest contacts as should be enough
 * first: evaluating all contacts to show 20 took as long as counting the segment again.
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
  const size = await queries.findKeptTotal(tx, companyId, {});
  const newest = Math.ceil(((bounds.skip + wanted) / total) * size * 2) + MARGIN;
  const from = newest > WHOLE ? undefined : await queries.findIdAfter(tx, companyId, newest);
  if (from !== undefined) {
    const ids = await queries.findOrdered(tx, companyId, {}, [isFrom(from), await conditionOf(from)], bounds);
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
    // Nearly all contacts are subscribed: an index on that status selects nothing.
    const condition = query.status === 'subscribed' ? hasStatusByLookUp : hasStatus;
    if (query.status !== undefined) conditions.push(condition(query.status));
  }
  if (query.tag !== undefined) conditions.push(hasTag(query.tag));
  const term = foldText(query.search ?? '');
  const sort = sortOf(query.sort);
  refuseSortedSearch(query, sort);
  if (term !== '') return search(db, companyId, set, { term, others: conditions }, bounds);
  return { ...(await findPage(db, companyId, set, conditions, sort, bounds)), exact: true };
}

/** A search stops early among many contacts, whereas sorting by another key would need all of its matches. */
function refuseSortedSearch({ search }: ContactQuery, sort: queries.ContactSort): void {
  if (foldText(search ?? '') !== '' && !isDefault(sort))
    throw invalidField('sort', 'sort cannot be combined with search', 'not_allowed');
}

function findPage(
  db: Queryable,
  companyId: number,
  set: queries.KeptSet,
  conditions: Statement[],
  sort: queries.ContactSort,
  bounds: queries.Bounds,
): Promise<queries.FoundPage> {
  // List members come from their own table, which has no index in the order of a contact's fields.
  const isKept = conditions.length === 0 && (isDefault(sort) || set.list === undefined);
  return isKept
    ? queries.findKeptPage(db, companyId, set, sort, bounds)
    : queries.findCountedPage(db, companyId, set, conditions, sort, bounds);
}
