import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { rawSql, type Statement } from '../../db/sql.ts';
import { isGroup, type RuleGroup } from '../../rules/language.ts';
import { findAddedUpTo } from '../events/service.ts';
import { compileCount, compileToSql } from '../rules/compile.ts';
import { compileExplanation, nodesOf } from '../rules/explain.ts';
import type { Member } from './contract.ts';
import * as queries from './queries.ts';

export interface Explanation {
  member: boolean;
  rules: { path: string; holds: boolean; value?: unknown }[];
}

/**
 * The segment's contacts at `now` as a condition on the alias c of contacts; false for every contact if the segment does not
 * exist. With a date as `addedUpTo` it is valid only in the snapshot of `inSnapshot`. With `from` it is faster, but valid only for
 * contacts from that id on.
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

/** The number of the segment's contacts at `now`, in the snapshot of `inSnapshot`; 0 if the segment does not exist. */
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

/** The same together with a sample, the newest contacts, in one snapshot. */
export function sampleMatching(
  db: Db,
  companyId: number,
  { conditions, sample, now }: { conditions: RuleGroup; sample: number; now: Date },
): Promise<{ count: number; sample: Member[] }> {
  return inSnapshot(db, companyId, async (tx, addedUpTo) => {
    const compiling = { companyId, now, addedUpTo };
    const count = await queries.countContacts(tx, compileCount(compiling, conditions));
    if (count === 0) return { count, sample: [] };
    return { count, sample: await queries.findMembers(tx, companyId, compileToSql(compiling, conditions), sample) };
  });
}

/** The number of contacts in each of two segments and in both, in one snapshot and one statement. */
export function countOverlap(
  db: Db,
  companyId: number,
  [one, other]: [RuleGroup, RuleGroup],
  now: Date,
): Promise<queries.Overlap> {
  return inSnapshot(db, companyId, (tx, addedUpTo) => {
    const count = (conditions: RuleGroup) => compileCount({ companyId, now, addedUpTo }, conditions);
    return queries.countOverlap(tx, [count(one), count(other), count({ operator: 'and', rules: [one, other] })]);
  });
}

/** Evaluates each rule and group of the segment for one contact; undefined if the contact does not exist. */
export function explainContact(
  db: Db,
  companyId: number,
  { conditions, contactId, now }: { conditions: RuleGroup; contactId: number; now: Date },
): Promise<Explanation | undefined> {
  const nodes = nodesOf(conditions);
  return inSnapshot(db, companyId, async (tx, addedUpTo) => {
    const statement = compileExplanation({ companyId, now, addedUpTo }, contactId, conditions, nodes);
    const row = await queries.findExplanation(tx, statement);
    if (row === undefined) return undefined;
    const rules = nodes.map(({ path, node }, i) => {
      const explained = { path, holds: row.holds[i]! };
      return isGroup(node) ? explained : { ...explained, value: row.found[i] ?? null };
    });
    return { member: row.member, rules };
  });
}

/**
 * Runs reads by the rules of segments in one snapshot, and passes them the moment up to which events are counted in totals. Uses a
 * separate connection, since short statements would wait behind these reads.
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
