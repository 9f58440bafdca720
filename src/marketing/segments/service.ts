import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { rawSql, type Statement } from '../../db/sql.ts';
import { notFound, validationFailed } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { findAddedUpTo } from '../events/service.ts';
import { compileCount, compileToSql } from '../rules/compile.ts';
import { checkRules, type RuleGroup } from '../rules/language.ts';
import { eventTypesOf } from '../rules/references.ts';
import { formatTimestamp } from '../time.ts';
import type { Segment, SegmentInput, SegmentPatch } from './contract.ts';
import * as queries from './queries.ts';

export { compileNothing } from './queries.ts';
export { classifyBuyers } from './rfm.ts';

/** Whether the company has the event type (EventsService): a count of one that it does not have is a slip of the pen. */
export type KnowsType = (companyId: number, eventType: string) => Promise<boolean>;

/** Newest first. */
export async function listSegments(
  db: Queryable,
  companyId: number,
  query: { page?: number; per_page?: number },
): Promise<Page<Segment>> {
  const { page, perPage } = pageOf(query);
  const [rows, total] = await Promise.all([
    queries.findSegments(db, companyId, { skip: (page - 1) * perPage, take: perPage }),
    queries.countSegments(db, companyId),
  ]);
  return { rows: rows.map(recordOf), total, page, perPage };
}

/** With the number of contacts that it has at `now`. Throws not_found. */
export async function getSegment(
  db: Db,
  companyId: number,
  id: number,
  now: Date,
): Promise<Segment & { count: number }> {
  const row = await queries.findSegment(db, companyId, id);
  if (row === undefined) throw notFound(`segment ${id}`);
  return { ...recordOf(row), count: await count(db, companyId, row.conditions, now) };
}

/** Throws validation_failed with the path of every rule that is wrong. */
export async function createSegment(
  db: Db,
  caller: Caller,
  input: SegmentInput,
  knowsType: KnowsType,
): Promise<Segment> {
  await checkConditions(caller.companyId, input.conditions, knowsType);
  return write(db, caller, async (tx) =>
    recordOf(await queries.insertSegment(tx, caller.companyId, input, caller.now)),
  );
}

/** Throws not_found, and validation_failed like `createSegment`. */
export async function updateSegment(
  db: Db,
  caller: Caller,
  id: number,
  patch: SegmentPatch,
  knowsType: KnowsType,
): Promise<Segment> {
  if (patch.conditions !== undefined) await checkConditions(caller.companyId, patch.conditions, knowsType);
  return write(db, caller, async (tx) => {
    const row = await queries.updateSegment(tx, caller.companyId, id, patch, caller.now);
    if (row === undefined) throw notFound(`segment ${id}`);
    return recordOf(row);
  });
}

/** Throws not_found. */
export async function deleteSegment(
  db: Db,
  caller: Caller,
  id: number,
): Promise<{ segment_id: number; deleted: boolean }> {
  return write(db, caller, async (tx) => {
    if (!(await queries.deleteSegment(tx, caller.companyId, id))) throw notFound(`segment ${id}`);
    return { segment_id: id, deleted: true };
  });
}

/** How many contacts the conditions pick now. Throws validation_failed like `createSegment`. */
export async function previewSegment(
  db: Db,
  caller: Caller,
  conditions: RuleGroup,
  knowsType: KnowsType,
): Promise<{ count: number }> {
  await checkConditions(caller.companyId, conditions, knowsType);
  return { count: await count(db, caller.companyId, conditions, caller.now) };
}

/**
 * The segment's contacts at `now` as a condition on the alias c of contacts; one that no contact meets where there is none.
 * With a moment as `addedUpTo` it holds good only within the snapshot that `inSnapshot` gives; with `from` only for contacts from that
 * id on, and costs less.
 */
export async function segmentCondition(
  db: Queryable,
  companyId: number,
  segmentId: number,
  now: Date,
  addedUpTo: Date | 'current' | null = null,
  from?: number,
): Promise<Statement> {
  const row = await queries.findSegment(db, companyId, segmentId);
  return row === undefined ? rawSql('false') : compileToSql({ companyId, now, addedUpTo, from }, row.conditions);
}

/** How many contacts the segment has at `now`, within the snapshot that `inSnapshot` gives; 0 where there is none. */
export async function countSegment(
  tx: Tx,
  companyId: number,
  segmentId: number,
  now: Date,
  addedUpTo: Date | null,
): Promise<number> {
  const row = await queries.findSegment(tx, companyId, segmentId);
  return row === undefined ? 0 : queries.countContacts(tx, compileCount({ companyId, now, addedUpTo }, row.conditions));
}

function count(db: Db, companyId: number, conditions: RuleGroup, now: Date): Promise<number> {
  return inSnapshot(db, companyId, (tx, addedUpTo) =>
    queries.countContacts(tx, compileCount({ companyId, now, addedUpTo }, conditions)),
  );
}

/**
 * For reads by the rules of segments: all see the same, and which events were added up by then. On a connection of their
 * own: they take their time, and short statements would wait behind them.
 */
export function inSnapshot<T>(
  db: Db,
  companyId: number,
  read: (tx: Tx, addedUpTo: Date | null) => Promise<T>,
): Promise<T> {
  const work = async (tx: Tx): Promise<T> => {
    const [, addedUpTo] = await Promise.all([queries.compileNothing(tx), findAddedUpTo(tx)]);
    return read(tx, addedUpTo);
  };
  return db.tenantTx(companyId, work, 'snapshot');
}

async function checkConditions(companyId: number, conditions: RuleGroup, knowsType: KnowsType): Promise<void> {
  const errors = checkRules(conditions, 'conditions', 'contact');
  if (errors.length > 0) throw validationFailed(errors);
  for (const { path, eventType } of eventTypesOf(conditions, 'conditions', 'contact')) {
    if (await knowsType(companyId, eventType)) continue;
    errors.push({ field: path, code: 'not_found', message: `${path}: unknown event type ${eventType}` });
  }
  if (errors.length > 0) throw validationFailed(errors);
}

function recordOf(row: queries.SegmentRow): Segment {
  return {
    segment_id: row.id,
    name: row.name,
    conditions: row.conditions,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createSegmentsService(deps: { db: Db; events: { knowsType: KnowsType } }) {
  const { db } = deps;
  const { knowsType } = deps.events;
  return {
    listSegments: (companyId: number, query: { page?: number; per_page?: number }) =>
      listSegments(db.lists(companyId), companyId, query),
    createSegment: (caller: Caller, input: SegmentInput) =>
      createSegment(db.points(caller.companyId), caller, input, knowsType),
    previewSegment: (caller: Caller, conditions: RuleGroup) =>
      previewSegment(db.lists(caller.companyId), caller, conditions, knowsType),
    getSegment: (companyId: number, id: number, now: Date) => getSegment(db.lists(companyId), companyId, id, now),
    updateSegment: (caller: Caller, id: number, patch: SegmentPatch) =>
      updateSegment(db.points(caller.companyId), caller, id, patch, knowsType),
    deleteSegment: (caller: Caller, id: number) => deleteSegment(db.points(caller.companyId), caller, id),
  };
}

export type SegmentsService = ReturnType<typeof createSegmentsService>;
