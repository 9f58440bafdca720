import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { rawSql, type Statement } from '../../db/sql.ts';
import { findAddedUpTo } from '../events/service.ts';
import { compileCount, compileToSql } from '../rules/compile.ts';
import type { RuleGroup } from '../rules/language.ts';
import * as queries from './queries.ts';

/**
 * The segment's contacts at `now` as a condition on the alias c of contacts; false for every contact where there is no such
 * segment. With a date as `addedUpTo` it is valid only in the snapshot of `inSnapshot`. With `from` it is valid only for
 * contacts from that id on, and faster.
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

/** The number of the segment's contacts at `now`, in the snapshot of `inSnapshot`; 0 where there is no such segment. */
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

/** The number of contacts that the conditions select at `now`. */
export function countMatching(db: Db, companyId: number, conditions: RuleGroup, now: Date): Promise<number> {
  return inSnapshot(db, companyId, (tx, addedUpTo) =>
    queries.countContacts(tx, compileCount({ companyId, now, addedUpTo }, conditions)),
  );
}

/**
 * Runs reads by the rules of segments in one snapshot, and gives them the moment up to which events are added up in it. On a
 * connection of its own, since short statements would wait behind these.
 */
export function inSnapshot<T>(
  db: Db,
  companyId: number,
  read: (tx: Tx, addedUpTo: Date | null) => Promise<T>,
): Promise<T> {
  const work = async (tx: Tx): Promise<T> => {
    const [, addedUpTo] = await Promise.all([queries.disableJit(tx), findAddedUpTo(tx)]);
    return read(tx, addedUpTo);
  };
  return db.tenantTx(companyId, work, 'snapshot');
}
