import type { Queryable, Tx } from '../../db/pool.ts';
import { type Statement, sql, unprepared } from '../../db/sql.ts';
import type { RuleGroup } from '../../rules/language.ts';
import type { Member } from './contract.ts';

export interface SegmentRow {
  id: number;
  name: string;
  conditions: RuleGroup;
  created_at: Date;
  updated_at: Date;
}

export interface ListedRow extends SegmentRow {
  counted: { day: string; count: number | null } | null;
}

export async function findSegments(
  db: Queryable,
  companyId: number,
  page: { skip: number; take: number },
): Promise<ListedRow[]> {
  // A count on the day of the last change may be from before that change.
  return db.query<ListedRow>(sql`
    select s.id, s.name, s.conditions, s.created_at, s.updated_at,
      case when k.day is null then null
        else json_build_object('day', to_char(k.day, 'YYYY-MM-DD'), 'count', k.n) end as counted
    from (
      select id, name, conditions, created_at, updated_at from segments
      where company_id = ${companyId} order by id desc offset ${page.skip} limit ${page.take}
    ) s
    left join lateral (
      select day, n from segment_counts
      where company_id = ${companyId} and segment_id = s.id and day > (s.updated_at at time zone 'UTC')::date
      order by day desc limit 1
    ) k on true
    order by s.id desc`);
}

export async function countSegments(db: Queryable, companyId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`select count(*) as n from segments where company_id = ${companyId}`);
  return rows[0]!.n;
}

export async function findSegment(db: Queryable, companyId: number, id: number): Promise<SegmentRow | undefined> {
  const rows = await db.query<SegmentRow>(sql`
    select id, name, conditions, created_at, updated_at from segments where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

export async function insertSegment(
  tx: Tx,
  companyId: number,
  segment: { name: string; conditions: RuleGroup },
  now: Date,
): Promise<SegmentRow> {
  const rows = await tx.query<SegmentRow>(sql`
    insert into segments (company_id, name, conditions, created_at, updated_at)
    values (${companyId}, ${segment.name}, ${segment.conditions}, ${now}, ${now})
    returning id, name, conditions, created_at, updated_at`);
  return rows[0]!;
}

/** Undefined fields are unchanged. */
export async function updateSegment(
  tx: Tx,
  companyId: number,
  id: number,
  patch: { name?: string; conditions?: RuleGroup },
  now: Date,
): Promise<SegmentRow | undefined> {
  const rows = await tx.query<SegmentRow>(sql`
    update segments set name = coalesce(${patch.name ?? null}, name),
      conditions = coalesce(${patch.conditions ?? null}::jsonb, conditions), updated_at = ${now}
    where company_id = ${companyId} and id = ${id}
    returning id, name, conditions, created_at, updated_at`);
  return rows[0];
}

/** Whether the segment exists; then it is not deleted before COMMIT. */
export async function holdSegment(tx: Tx, companyId: number, id: number): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from segments where company_id = ${companyId} and id = ${id} for key share`);
  return rows.length > 0;
}

export async function deleteSegment(tx: Tx, companyId: number, id: number): Promise<boolean> {
  const rows = await tx.query(sql`delete from segments where company_id = ${companyId} and id = ${id} returning 1`);
  return rows.length > 0;
}

/** Prevents a server with LLVM from compiling the expressions of a count, which costs 10 ms and saves nothing. */
export function disableJit(tx: Tx): Promise<unknown> {
  return tx.query(sql`set local jit = off`);
}

/** Executes a statement from `compileCount`. */
export async function countContacts(db: Queryable, counting: Statement): Promise<number> {
  const rows = await db.query<{ n: number }>(counting);
  return rows[0]!.n;
}

/** The newest contacts that the condition on the alias c selects. */
export async function findMembers(
  db: Queryable,
  companyId: number,
  condition: Statement,
  limit: number,
): Promise<Member[]> {
  return db.query<Member>(
    unprepared(sql`
      select c.id as contact_id, c.email, c.phone, c.first_name, c.last_name from contacts c
      where c.company_id = ${companyId} and ${condition} order by c.id desc limit ${limit}`),
  );
}

export interface Overlap {
  count: number;
  other_count: number;
  both: number;
}

/** Executes three statements from `compileCount` as one. */
export async function countOverlap(db: Queryable, counts: [Statement, Statement, Statement]): Promise<Overlap> {
  const [one, other, both] = counts;
  const rows = await db.query<Overlap>(
    unprepared(sql`
      select (select n from (${one}) one) as count, (select n from (${other}) other) as other_count,
        (select n from (${both}) shared) as both`),
  );
  return rows[0]!;
}

/** Executes a statement from `compileExplanation`. */
export async function findExplanation(
  db: Queryable,
  explaining: Statement,
): Promise<{ member: boolean; holds: boolean[]; found: unknown[] } | undefined> {
  const rows = await db.query<{ member: boolean; holds: boolean[]; found: unknown[] }>(explaining);
  return rows[0];
}
