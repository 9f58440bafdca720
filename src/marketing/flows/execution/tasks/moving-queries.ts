import type { Queryable, Tx } from '../../../../db/pool.ts';
import { sql } from '../../../../db/sql.ts';
import type { RunRow } from '../run-queries.ts';
import { eachLive } from './queries.ts';

/** Live runs of other versions by version and current step; step_id is null before the first step. */
export function countStanding(
  db: Queryable,
  companyId: number,
  flowId: number,
  version: number,
): Promise<{ version: number; step_id: string | null; runs: number }[]> {
  return db.query(sql`
    select version, step_id, count(*) as runs from flow_runs
    where company_id = ${companyId} and flow_id = ${flowId} and status in ('active', 'paused')
      and version <> ${version}
    group by version, step_id order by version desc, step_id`);
}

export interface Place {
  id: number;
  version: number;
  /** Null before the first step. */
  step_id: string | null;
}

/** The next live runs of the flow after `position`, of any version, so that every piece reads the same number of rows. */
export function findWindow(
  tx: Tx,
  companyId: number,
  flowId: number,
  position: number,
  limit: number,
): Promise<Place[]> {
  return tx.query<Place>(sql`
    select id, version, step_id from (${eachLive(
      (status) => sql`
      select id, version, step_id from flow_runs
      where company_id = ${companyId} and flow_id = ${flowId} and status = ${status} and id > ${position}
      order by id limit ${limit}`,
    )}) live
    order by id limit ${limit}`);
}

/** Locks those of the runs that are still at their places, skipping those that a worker has locked. */
export function claimPlaces(tx: Tx, companyId: number, flowId: number, places: Place[]): Promise<RunRow[]> {
  return tx.query<RunRow>(sql`
    select r.id, r.flow_id, r.version, r.contact_id, r.status, r.step_id, r.outcome, r.step_entered_at, r.due_at,
      r.awaits, r.listens, r.event, r.state, r.seq, r.entered_at
    from flow_runs r
    join unnest(${places.map(({ id }) => id)}::bigint[], ${places.map(({ version }) => version)}::int[],
      ${places.map(({ step_id }) => step_id)}::text[]) as p (id, version, step_id)
      on p.id = r.id and p.version = r.version and p.step_id is not distinct from r.step_id
    where r.company_id = ${companyId} and r.flow_id = ${flowId} and r.status in ('active', 'paused')
    order by r.id for update of r skip locked`);
}

export async function setVersion(
  tx: Tx,
  companyId: number,
  ids: number[],
  to: { version: number; listens: string[] },
): Promise<void> {
  await tx.query(sql`
    update flow_runs set version = ${to.version}, listens = ${to.listens}
    where company_id = ${companyId} and id = any(${ids}::bigint[])`);
}
