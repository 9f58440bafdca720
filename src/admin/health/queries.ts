import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { HealthReport } from './contract.ts';

export type StoredReport = Pick<HealthReport, 'checks' | 'tables'>;

export interface ReportRow {
  started_at: Date;
  finished_at: Date | null;
  error: string | null;
  report: StoredReport | null;
}

export async function findReport(db: Queryable): Promise<ReportRow | undefined> {
  const rows = await db.query<ReportRow>(sql`select started_at, finished_at, error, report from health_reports`);
  return rows[0];
}

/** Returns whether an examination may begin: none that started after `stuck` is running. The previous report stays until it ends. */
export async function beginReport(db: Queryable, now: Date, stuck: Date): Promise<boolean> {
  const rows = await db.query(sql`
    insert into health_reports as h (started_at) values (${now})
    on conflict (one) do update set started_at = excluded.started_at, finished_at = null, error = null
    where h.finished_at is not null or h.started_at < ${stuck} returning 1`);
  return rows.length > 0;
}

export async function finishReport(
  db: Queryable,
  { now, report, error }: { now: Date; report: StoredReport | null; error: string | null },
): Promise<void> {
  const text = report === null ? null : JSON.stringify(report);
  await db.query(sql`
    update health_reports set finished_at = ${now}, error = ${error}, report = coalesce(${text}::jsonb, report)`);
}
