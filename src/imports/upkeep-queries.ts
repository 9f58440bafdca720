import type { Queryable } from '../db/pool.ts';
import { sql } from '../db/sql.ts';

/* Chores over all companies. */

/** An import that has run before counts as ended early, so that what it wrote can be undone. */
export async function cancelUnused(db: Queryable, before: Date, now: Date): Promise<void> {
  await db.query(sql`
    update imports set status = case when started_at is null then 'cancelled' else 'done' end, epoch = epoch + 1, finished_at = ${now}
    where status in ('uploading', 'checked') and created_at < ${before}`);
}

/** Deletes files that no check or run needs any more, some chunks at a time. */
export async function deleteChunks(db: Queryable): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with few as (
      select c.company_id, c.import_id, c.n from imports i
      join import_chunks c on c.company_id = i.company_id and c.import_id = i.id
      where i.chunks > 0 and i.status not in ('uploading', 'checking', 'checked', 'running') limit 16
    ),
    gone as (
      delete from import_chunks c using few s
      where c.company_id = s.company_id and c.import_id = s.import_id and c.n = s.n
    ),
    emptied as (
      update imports i set chunks = 0
      where i.chunks > 0 and i.status not in ('uploading', 'checking', 'checked', 'running')
        and not exists (select from import_chunks c where c.company_id = i.company_id and c.import_id = i.id)
    )
    select count(*) as n from few`);
  return rows[0]!.n;
}

/** Deletes journals and findings of imports that ended before. */
export async function deleteHistories(db: Queryable, before: Date): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with old as materialized (
      select company_id, id from imports
      where finished_at < ${before} and status in ('done', 'undone', 'failed', 'cancelled') and findings + journal > 0 limit 50
    ),
    entries as materialized (
      select j.company_id, j.import_id, j.n from old o join import_journal j on j.company_id = o.company_id and j.import_id = o.id limit 2000
    ),
    journal as (
      delete from import_journal j using entries e where j.company_id = e.company_id and j.import_id = e.import_id and j.n = e.n
    ),
    found as materialized (
      select f.company_id, f.import_id, f.phase, f.n from old o
      join import_findings f on f.company_id = o.company_id and f.import_id = o.id limit 2000
    ),
    findings as (
      delete from import_findings f using found e
      where f.company_id = e.company_id and f.import_id = e.import_id and f.phase = e.phase and f.n = e.n
    ),
    emptied as (
      update imports i set findings = 0, journal = 0 from old o
      where i.company_id = o.company_id and i.id = o.id
        and not exists (select from import_journal j where j.company_id = o.company_id and j.import_id = o.id)
        and not exists (select from import_findings f where f.company_id = o.company_id and f.import_id = o.id)
    )
    select (select count(*) from old) + (select count(*) from entries) + (select count(*) from found) as n`);
  return rows[0]!.n;
}

export async function deleteImports(db: Queryable, before: Date): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with old as (
      select company_id, id from imports
      where finished_at < ${before} and chunks = 0 and findings = 0 and journal = 0 limit 500
    ),
    gone as (delete from imports i using old o where i.company_id = o.company_id and i.id = o.id returning 1)
    select count(*) as n from gone`);
  return rows[0]!.n;
}
