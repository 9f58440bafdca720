import type { Queryable, Tx } from '../pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../sql.ts';

/** The tables whose rows are counted in the background; `count_jobs.source`. */
export const SOURCES = [
  'messages',
  'message_activity',
  'contacts',
  'list_memberships',
  'webhook_deliveries',
  'flow_runs',
  'audit_log',
  'suppressions',
] as const;
export type Source = (typeof SOURCES)[number];

interface Walk {
  table: string;
  /** The column by which a source is walked. */
  id: string;
  /** The column that follows the company in an index, and how an id is found in it; the id itself if absent. */
  indexed?: { column: string; begins(id: number): Statement };
  /** Distinguishes rows with the same id. */
  part: string;
  /** The totals that a row counts for. */
  totals: string;
}

const ROWS: Record<Source, Walk> = {
  messages: {
    table: 'messages r',
    id: 'r.id',
    part: "''",
    totals: 'totals_of_message(r.status, r.channel, coalesce(r.handed_over_at, r.ended_at))',
  },
  message_activity: {
    table: 'message_activity r join messages m on m.company_id = r.company_id and m.id = r.message_id',
    id: 'r.message_id',
    part: "r.type || ':' || r.reference",
    totals: 'totals_of_activity(r.type, r.created_at, r.amount, m.channel, m.flow_id)',
  },
  contacts: {
    table: 'contacts r',
    id: 'r.id',
    part: "''",
    totals: 'totals_of_contact(r.status, r.email_consent, r.created_at, r.email_consent_at)',
  },
  list_memberships: {
    table: 'list_memberships r',
    id: 'r.contact_id',
    part: 'r.list_id::text',
    totals: 'totals_of_membership(r.list_id, r.status, r.created_at, r.updated_at)',
  },
  webhook_deliveries: {
    table: 'webhook_deliveries r',
    id: 'r.id',
    part: "''",
    totals: 'totals_of_delivery(r.endpoint_id, r.id, r.status)',
  },
  flow_runs: { table: 'flow_runs r', id: 'r.id', part: "''", totals: 'totals_of_run(r.flow_id, r.id, r.status)' },
  audit_log: { table: 'audit_log r', id: 'r.id', part: "''", totals: 'totals_of_entry(r.id, r.actor, r.action)' },
  suppressions: {
    table: 'suppressions r',
    id: 'suppression_second(r.created_at)',
    indexed: { column: 'r.created_at', begins: (id) => sql`to_timestamp(${id}::bigint)` },
    part: 'suppression_part(r.channel, r.hash)',
    totals: 'totals_of_suppression(r.created_at, r.channel, r.cause)',
  },
};

/** Rows of a source with ids after `after`, up to `last`; null: all that follow. */
function rowsWithin({ id, indexed }: Walk, { after, last }: Range): Statement {
  if (indexed === undefined) return within(id, { after, last });
  const column = rawSql(indexed.column);
  const upTo = last === null ? emptySql : sql`and ${column} < ${indexed.begins(last + 1)}`;
  return sql`${column} >= ${indexed.begins(after + 1)} ${upTo}`;
}

export interface Job {
  source: Source;
  after_company_id: number;
  after_id: number;
}

/** Returns the next unfinished job, locked; undefined where there is none, or another process works on it. */
export async function lockJob(tx: Tx): Promise<Job | undefined> {
  const rows = await tx.query<Job>(sql`
    select source, after_company_id, after_id from count_jobs
    where finished_at is null order by source limit 1 for update skip locked`);
  return rows[0];
}

export async function findCompanyFrom(tx: Tx, companyId: number): Promise<number | undefined> {
  const rows = await tx.query<{ company_id: number }>(sql`
    select company_id from companies where company_id >= ${companyId} order by company_id limit 1`);
  return rows[0]?.company_id;
}

/** The last of the next `limit` rows' ids, and how many rows there are. */
export async function findEnd(
  tx: Tx,
  companyId: number,
  job: Job,
  limit: number,
): Promise<{ last: number | null; n: number }> {
  const walk = ROWS[job.source];
  const { table, id, indexed } = walk;
  const rows = await tx.query<{ last: number | null; n: number }>(sql`
    select max(id) as last, count(*) as n from (
      select ${rawSql(id)} as id from ${rawSql(table)}
      where r.company_id = ${companyId} and ${rowsWithin(walk, { after: job.after_id, last: null })}
      order by ${rawSql(indexed?.column ?? id)} limit ${limit}) next`);
  return rows[0]!;
}

/** The company's ids after the last one counted, up to `last`; null: all that follow. */
interface Range {
  after: number;
  last: number | null;
}

const within = (id: string, { after, last }: Range): Statement =>
  last === null ? sql`${rawSql(id)} > ${after}` : sql`${rawSql(id)} > ${after} and ${rawSql(id)} <= ${last}`;

/**
 * Adds the totals that the rows of the range had when the job began. One statement, so that a row and the totals
 * recorded when it changed are seen in one snapshot.
 */
export async function countRange(tx: Tx, companyId: number, source: Source, range: Range): Promise<void> {
  const walk = ROWS[source];
  const { table, id, part, totals } = walk;
  await tx.query(sql`
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select ${companyId}, t.list, t.bucket, t.day, t.facet, sum(t.n)
    from (
      select ${rawSql(totals)} as totals from ${rawSql(table)}
      where r.company_id = ${companyId} and ${rowsWithin(walk, range)} and not exists (
        select from count_job_rows c
        where c.company_id = ${companyId} and c.source = ${source} and c.id = ${rawSql(id)} and c.part = ${rawSql(part)})
      union all
      select c.totals from count_job_rows c
      where c.company_id = ${companyId} and c.source = ${source} and ${within('c.id', range)}
    ) counted
    cross join lateral unnest(counted.totals) t
    group by t.list, t.bucket, t.day, t.facet having sum(t.n) <> 0`);
}

export async function removeCounted(tx: Tx, companyId: number, source: Source, range: Range): Promise<void> {
  await tx.query(sql`
    delete from count_job_rows where company_id = ${companyId} and source = ${source} and ${within('id', range)}`);
}

export async function moveJob(tx: Tx, { source, after_company_id, after_id }: Job, counted: number): Promise<void> {
  await tx.query(sql`
    update count_jobs
    set after_company_id = ${after_company_id}, after_id = ${after_id}, counted = counted + ${counted}
    where source = ${source}`);
}

export async function finishJob(tx: Tx, source: Source): Promise<void> {
  await tx.query(sql`update count_jobs set finished_at = now() where source = ${source}`);
}

/** Deletes the totals recorded for rows whose jobs are finished; returns how many. */
export async function removeLeft(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from count_job_rows where ctid = any(array(
      select c.ctid from count_job_rows c
      where not exists (select from count_jobs j where j.source = c.source and j.finished_at is null) limit ${limit}))
    returning 1`);
  return rows.length;
}

export interface Progress {
  source: Source;
  counted: number;
  /** PostgreSQL's estimate. */
  rows: number;
}

export function findUnfinished(db: Queryable): Promise<Progress[]> {
  return db.query<Progress>(sql`
    select j.source, j.counted, greatest(c.reltuples, j.counted)::bigint as rows
    from count_jobs j join pg_class c on c.oid = to_regclass(j.source)
    where j.finished_at is null order by j.source`);
}
