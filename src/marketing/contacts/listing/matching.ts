import { foldText } from '../../../db/fold.ts';
import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';
import { findListSettings } from '../../lists/service.ts';
import { segmentCondition } from '../../segments/service.ts';
import type { ContactFilters } from '../contract.ts';
import { hasStatus, hasTag, hasTerm } from './conditions.ts';
import { all, idIs, type KeptSet, setOf } from './queries.ts';

/** Limits a change to matching contacts that have the tag, or to those that do not. */
export interface Tagged {
  tag: string;
  has: boolean;
}

/** The number of matching contacts, and their highest id. */
export async function countMatchingContacts(
  tx: Tx,
  companyId: number,
  filters: ContactFilters,
  tagged: Tagged,
  now: Date,
): Promise<{ total: number; upto: number }> {
  const rows = await tx.query<{ total: number; upto: number }>(sql`
    select count(*)::int as total, coalesce(max(c.id), 0) as upto
    ${await matching(tx, companyId, filters, tagged, now)}`);
  return rows[0]!;
}

/** The next matching contacts by id. */
export async function nextMatchingContacts(
  tx: Queryable,
  companyId: number,
  filters: ContactFilters,
  tagged: Tagged | null,
  { after, upto, limit, now }: { after: number; upto: number; limit: number; now: Date },
): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select c.id ${await matching(tx, companyId, filters, tagged, now, { after, upto })} order by c.id limit ${limit}`);
  return rows.map(({ id }) => id);
}

/** FROM and WHERE on alias c, for contacts with ids in the range. Matches none if the list or segment does not exist. */
export async function matching(
  db: Queryable,
  companyId: number,
  { status, list_id, list_status, tag, search, segment_id }: ContactFilters,
  tagged: Tagged | null,
  now: Date,
  range?: { after: number; upto: number },
): Promise<Statement> {
  const conditions: Statement[] = [rawSql('true')];
  if (tagged !== null) conditions.push(tagged.has ? hasTag(tagged.tag) : sql`not (${hasTag(tagged.tag)})`);
  const set: KeptSet = {};
  if (list_id !== undefined) {
    const [list] = await findListSettings(db, companyId, [list_id]);
    if (list === undefined) conditions.push(rawSql('false'));
    else set.list = { id: list.id, statuses: list_status === undefined ? ['active', 'pending'] : [list_status] };
  }
  if (status !== undefined) conditions.push(hasStatus(status));
  if (tag !== undefined) conditions.push(hasTag(tag));
  const term = foldText(search ?? '');
  if (term !== '') conditions.push(hasTerm(term));
  if (segment_id !== undefined)
    conditions.push(await segmentCondition(db, companyId, segment_id, now, 'current', range && range.after + 1));
  if (range !== undefined) conditions.push(idIs(set, sql`> ${range.after}`), idIs(set, sql`<= ${range.upto}`));
  return sql`${setOf(companyId, set)} and ${all(conditions)}`;
}
