import type { Tx } from '../../../db/pool.ts';
import { type Looked, placeAt, type RemovalSlice, type Removed, removedOf } from '../../../db/removal.ts';
import { sql } from '../../../db/sql.ts';

/** Removes the logs of runs that ended before `before`. */
export async function removeLogs(tx: Tx, { companyId, before, place, limit }: RemovalSlice): Promise<Removed> {
  const { id: run, seq } = place ?? placeAt(0);
  const [slice] = await tx.query<Looked & { last_seq: number | null }>(sql`
    with looked as materialized (
      select run_id, seq from flow_run_log
      where company_id = ${companyId} and (run_id, seq) > (${run}::bigint, ${seq}::int) order by run_id, seq limit ${limit}
    ),
    runs as materialized (
      select r.id, r.entered_at < ${before} as began,
        r.status not in ('active', 'paused') and coalesce(r.ended_at < ${before}, true) as is_over
      from flow_runs r where r.company_id = ${companyId} and r.id = any(array(select distinct run_id from looked))
    ),
    gone as (
      delete from flow_run_log l using (
        select l.run_id, l.seq from looked l left join runs r on r.id = l.run_id where coalesce(r.is_over, true)
      ) old
      where l.company_id = ${companyId} and l.run_id = old.run_id and l.seq = old.seq
      returning 1
    )
    select (select count(*) from gone) as removed, count(*) as looked,
      (select run_id from looked order by run_id desc limit 1) as last,
      (select seq from looked order by run_id desc, seq desc limit 1) as last_seq,
      coalesce((select bool_or(coalesce(r.began, true)) from looked l left join runs r on r.id = l.run_id), false) as some_old
    from looked`);
  const { removed, next } = removedOf(slice!, limit);
  return { removed, next: next && { ...next, seq: slice!.last_seq! } };
}

/**
 * Removes runs that ended before `before`, with their logs, calls and signals. Keeps the statistics, and the last entry of each contact,
 * which re-entry depends on.
 */
export async function removeRuns(tx: Tx, { companyId, before, place, limit }: RemovalSlice): Promise<Removed> {
  const [slice] = await tx.query<Looked>(sql`
    with looked as materialized (
      select id, entered_at, status not in ('active', 'paused') and ended_at < ${before} as is_old from flow_runs
      where company_id = ${companyId} and id > ${place?.id ?? 0} order by id limit ${limit}
    ),
    old as materialized (
      select id, flow_id, contact_id, status, entered_at from flow_runs
      where company_id = ${companyId} and id = any(array(select id from looked where is_old))
        and status not in ('active', 'paused')
      for update skip locked
    ),
    logs as (
      delete from flow_run_log where company_id = ${companyId} and run_id = any(array(select id from old))
    ),
    calls as (
      delete from flow_webhook_calls where company_id = ${companyId} and run_id = any(array(select id from old))
    ),
    signals as (
      -- Of a run that is gone nobody would ever take them.
      delete from flow_signals where company_id = ${companyId} and run_id = any(array(select id from old))
    ),
    entries as (
      insert into flow_entries as known (company_id, flow_id, contact_id, entered_at, not_after)
      select ${companyId}, o.flow_id, o.contact_id, max(o.entered_at), '-infinity' from old o
      where exists (select from flows f where f.company_id = ${companyId} and f.id = o.flow_id and f.deleted_at is null)
        and exists (select from contacts c where c.company_id = ${companyId} and c.id = o.contact_id)
      group by o.flow_id, o.contact_id order by o.flow_id, o.contact_id
      on conflict (company_id, flow_id, contact_id) do update set entered_at = excluded.entered_at
        where known.entered_at < excluded.entered_at
    ),
    counted as (
      -- Lists of runs show what is left.
      insert into counter_deltas (company_id, counter, key, n)
      select ${companyId}, 'flow:' || flow_id || ':', 'removed_' || status, count(*) from old group by flow_id, status
    ),
    gone as (
      delete from flow_runs where company_id = ${companyId} and id = any(array(select id from old)) returning 1
    )
    select (select count(*) from gone) as removed, max(id) as last, count(*) as looked,
      coalesce(bool_or(entered_at < ${before}), false) as some_old
    from looked`);
  return removedOf(slice!, limit);
}
