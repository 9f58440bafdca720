import type { Queryable } from '../../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import type { Correlation } from '../../../lib/tracing/correlation.ts';
import type { LogEntry, RunEvent } from '../engine/run.ts';

type RunContact = Record<'email' | 'phone' | 'first_name' | 'last_name', string | null>;

/** A run as the API shows it. */
export interface ShownRun {
  id: number;
  flow_id: number;
  version: number;
  contact_id: number;
  contact: RunContact | null;
  status: 'active' | 'completed' | 'exited' | 'failed';
  reason: string | null;
  step_id: string | null;
  due_at: Date | null;
  event_id: number | null;
  entered_at: Date;
  ended_at: Date | null;
  correlation: Correlation | null;
}

// A run that came due while its flow is paused is shown as active: the flow itself shows the pause.
const SHOWN =
  rawSql(`r.id, r.flow_id, r.version, r.contact_id, case r.status when 'paused' then 'active' else r.status end as status,
  r.reason, r.step_id, case when r.status in ('active', 'paused') then r.due_at end as due_at, r.event_id, r.entered_at, r.ended_at,
  r.correlation, (
    select json_build_object('email', c.email, 'phone', c.phone, 'first_name', c.first_name, 'last_name', c.last_name)
    from contacts c where c.company_id = r.company_id and c.id = r.contact_id
  ) as contact`);

interface RunFilter {
  /** The stored statuses that the shown one includes; null for all. */
  statuses: string[] | null;
  contactId: number | null;
  before: number | null;
}

/** One page of a flow's runs, newest first. The pages before it are skipped by an index-only scan. */
export function listRuns(
  db: Queryable,
  companyId: number,
  flowId: number,
  { statuses, contactId, before }: RunFilter,
  page: { offset: number; limit: number },
): Promise<ShownRun[]> {
  // Each status is read in the order of its index, up to the end of the page.
  const ids = (more: Statement, offset: Statement): Statement => sql`
    select id from (${(statuses ?? [null]).reduce(
      (union, one) => sql`${union} ${union === emptySql ? emptySql : rawSql('union all')} (
        select id from flow_runs
        where company_id = ${companyId} and flow_id = ${flowId} ${one === null ? emptySql : sql`and status = ${one}`} ${more}
        order by id desc limit ${offset} + ${page.limit})`,
      emptySql,
    )}) listed
    order by id desc offset ${offset} limit ${page.limit}`;
  const more = sql`${contactId === null ? emptySql : sql`and contact_id = ${contactId}`}
    ${before === null ? emptySql : sql`and id < ${before}`}`;
  return db.query<ShownRun>(sql`
    select ${SHOWN}
    from (${ids(more, sql`${page.offset}::bigint`)}) found
    join flow_runs r on r.company_id = ${companyId} and r.id = found.id
    order by r.id desc`);
}

/** The number of runs of one contact in a flow. */
export async function countContactRuns(
  db: Queryable,
  companyId: number,
  flowId: number,
  contactId: number,
  statuses: string[] | null,
): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from flow_runs
    where company_id = ${companyId} and contact_id = ${contactId} and flow_id = ${flowId}
      and (${statuses}::text[] is null or status = any(${statuses}))`);
  return rows[0]!.n;
}

interface RunDetailRow extends ShownRun {
  event: RunEvent | null;
  vars: Record<string, unknown>;
}

export async function findRun(db: Queryable, companyId: number, id: number): Promise<RunDetailRow | undefined> {
  const rows = await db.query<RunDetailRow>(sql`
    select ${SHOWN}, r.event, r.state -> 'vars' as vars from flow_runs r
    where r.company_id = ${companyId} and r.id = ${id}`);
  return rows[0];
}

/** The log of a run, in order. */
export function findLog(db: Queryable, companyId: number, runId: number): Promise<{ at: Date; entries: LogEntry[] }[]> {
  return db.query(sql`
    select at, entries from flow_run_log where company_id = ${companyId} and run_id = ${runId} order by seq`);
}

/** Of messages with these keys: those that were skipped or failed. */
export function findUnsent(
  db: Queryable,
  companyId: number,
  keys: string[],
): Promise<{ idem_key: string; status: 'skipped' | 'failed'; reason: string | null }[]> {
  return db.query(sql`
    select idem_key, status, reason from messages
    where company_id = ${companyId} and idem_key = any(${keys}::text[]) and status in ('skipped', 'failed')`);
}

interface NotificationRow {
  notification_id: number;
  flow_id: number;
  run_id: number;
  step_id: string;
  contact_id: number;
  message: string;
  created_at: Date;
}

export async function listNotifications(
  db: Queryable,
  companyId: number,
  page: { offset: number; limit: number },
): Promise<{ rows: NotificationRow[]; total: number }> {
  const [rows, counted] = await Promise.all([
    db.query<NotificationRow>(sql`
      -- The run's contact: the one that was told of may have become part of it.
      select n.id as notification_id, n.flow_id, n.run_id, n.step_id,
        coalesce((select r.contact_id from flow_runs r where r.company_id = ${companyId} and r.id = n.run_id), n.contact_id)
          as contact_id,
        n.message, n.created_at
      from flow_notifications n
      where n.company_id = ${companyId} order by n.id desc offset ${page.offset} limit ${page.limit}`),
    db.query<{ n: number }>(sql`select count(*) as n from flow_notifications where company_id = ${companyId}`),
  ]);
  return { rows, total: counted[0]!.n };
}
