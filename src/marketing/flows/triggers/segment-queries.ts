import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql, unprepared } from '../../../db/sql.ts';
import { insertingOutbox } from '../../../outbox/service.ts';
import { SEGMENT_JOINED } from '../definition/trigger.ts';

export interface WatchedSegment {
  companyId: number;
  segmentId: number;
}

/** The segments of flows that are started by them, as company_id and segment_id. Paused flows too: they note what they miss. */
const AWAITED = rawSql(`
  select f.company_id, f.id as flow_id, f.name, (v.definition -> 'trigger_settings' ->> 'segment_id')::bigint as segment_id
  from flows f
  join flow_versions v on v.company_id = f.company_id and v.flow_id = f.id and v.version = f.version
  where f.status in ('active', 'paused') and f.deleted_at is null and v.trigger_type = '${SEGMENT_JOINED}'`);

/** Segments that flows wait for and that were not compared since `before`, those of all companies. */
export function findDueSegments(db: Queryable, before: Date): Promise<WatchedSegment[]> {
  return db.query<WatchedSegment>(sql`
    select distinct a.company_id as "companyId", a.segment_id as "segmentId"
    from (${AWAITED}) a
    left join flow_segments s on s.company_id = a.company_id and s.segment_id = a.segment_id
    where a.segment_id is not null and (s.compared_at is null or s.compared_at <= ${before})
    order by 1, 2`);
}

/** Returns a flow that a segment starts, if there is one. */
export async function findFlowOfSegment(
  db: Queryable,
  companyId: number,
  segmentId: number,
): Promise<{ flow_id: number; name: string } | undefined> {
  const [flow] = await db.query<{ flow_id: number; name: string }>(sql`
    select a.flow_id, a.name from (${AWAITED}) a
    where a.company_id = ${companyId} and a.segment_id = ${segmentId} order by a.flow_id limit 1`);
  return flow;
}

/** Segments that no flow waits for any more. */
export function findForsakenSegments(db: Queryable): Promise<WatchedSegment[]> {
  return db.query<WatchedSegment>(sql`
    select s.company_id as "companyId", s.segment_id as "segmentId" from flow_segments s
    where not exists (select from (${AWAITED}) a where a.company_id = s.company_id and a.segment_id = s.segment_id)
    order by 1, 2`);
}

export interface SegmentProgress {
  comparedAt: Date | null;
  /** Whether all members of the beginning are noted, by these rules. */
  isBased: boolean;
}

/** Locks the progress of a segment, which begins anew where its rules have changed; undefined where another process has it. */
export async function lockSegment(tx: Tx, companyId: number, segmentId: number): Promise<SegmentProgress | undefined> {
  await tx.query(sql`
    insert into flow_segments (company_id, segment_id) values (${companyId}, ${segmentId}) on conflict do nothing`);
  const rows = await tx.query<{ comparedAt: Date | null }>(sql`
    select compared_at as "comparedAt" from flow_segments
    where company_id = ${companyId} and segment_id = ${segmentId} for update skip locked`);
  if (rows.length === 0) return undefined;
  const [progress] = await tx.query<SegmentProgress>(sql`
    with now as (
      select md5(conditions::text) as rules from segments where company_id = ${companyId} and id = ${segmentId}
    )
    update flow_segments s set based = s.based and s.rules is not distinct from (select rules from now),
      rules = (select rules from now)
    where s.company_id = ${companyId} and s.segment_id = ${segmentId}
    returning s.compared_at as "comparedAt", s.based as "isBased"`);
  return progress;
}

interface Comparison {
  segmentId: number;
  /** On the alias c of contacts. */
  condition: Statement;
  announces: boolean;
  limit: number;
}

/**
 * Compares the members with those that are noted, and notes at most so many that joined and that left. Writes events for those that
 * joined. Returns whether there may be more.
 */
export async function compareMembers(
  tx: Tx,
  companyId: number,
  { segmentId, condition, announces, limit }: Comparison,
  now: Date,
): Promise<boolean> {
  const announced = insertingOutbox(
    companyId,
    SEGMENT_JOINED,
    sql`
      select jsonb_build_object('contact_id', j.contact_id, 'segment_id', s.id, 'segment_name', s.name), ${now}::timestamptz
      from joined j join segments s on s.company_id = ${companyId} and s.id = ${segmentId}
      where ${announces}::boolean order by j.contact_id`,
  );
  const rows = await tx.query<{ more: boolean }>(
    unprepared(sql`
      with members as materialized (
        select c.id from contacts c where c.company_id = ${companyId} and ${condition}
      ), gone as (
        delete from flow_segment_members
        where company_id = ${companyId} and segment_id = ${segmentId} and contact_id = any(array(
          select m.contact_id from flow_segment_members m
          where m.company_id = ${companyId} and m.segment_id = ${segmentId}
            and not exists (select from members where members.id = m.contact_id)
          limit ${limit}))
        returning contact_id
      ), joined as (
        insert into flow_segment_members (company_id, segment_id, contact_id)
        select ${companyId}, ${segmentId}, n.id from members n
        where not exists (
          select from flow_segment_members m
          where m.company_id = ${companyId} and m.segment_id = ${segmentId} and m.contact_id = n.id)
        order by n.id limit ${limit}
        on conflict do nothing
        returning contact_id
      ), announced as (${announced}),
      changed as (
        select (select count(*) from joined) >= ${limit} or (select count(*) from gone) >= ${limit} as more
      )
      update flow_segments s
      set compared_at = case when c.more then s.compared_at else ${now}::timestamptz end, based = s.based or not c.more
      from changed c
      where s.company_id = ${companyId} and s.segment_id = ${segmentId}
      returning c.more`),
  );
  return rows[0]!.more;
}

/** Notes that the segment was tried, so that it is tried again later. */
export async function markCompared(tx: Tx, companyId: number, segmentId: number, now: Date): Promise<void> {
  await tx.query(sql`
    update flow_segments set compared_at = ${now} where company_id = ${companyId} and segment_id = ${segmentId}`);
}

/** Removes at most `limit` members of the segment, and then its progress. Returns whether members are left. */
export async function forgetSegment(tx: Tx, companyId: number, segmentId: number, limit: number): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from flow_segment_members where company_id = ${companyId} and segment_id = ${segmentId}
      and contact_id = any(array(
        select contact_id from flow_segment_members
        where company_id = ${companyId} and segment_id = ${segmentId} limit ${limit}))
    returning 1`);
  if (rows.length >= limit) return true;
  await tx.query(sql`delete from flow_segments where company_id = ${companyId} and segment_id = ${segmentId}`);
  return false;
}
