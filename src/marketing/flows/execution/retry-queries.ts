import type { Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

export interface FailedRun {
  status: string;
  flow_id: number;
  contact_id: number;
  step_id: string | null;
  version: number;
  /** The flow's newest version. */
  newest: number;
  awaits: string | null;
  listens: string[];
  seq: number;
  entered_at: Date;
  ended_at: Date;
  flow_ended: boolean;
}

/** Locks a run of any status for a retry. */
export async function lockFailedRun(tx: Tx, companyId: number, id: number): Promise<FailedRun | undefined> {
  const rows = await tx.query<FailedRun>(sql`
    select r.status, r.flow_id, r.contact_id, r.step_id, r.version, f.version as newest, r.awaits, r.listens, r.seq,
      r.entered_at, r.ended_at,
      f.deleted_at is not null or f.status not in ('active', 'paused') as flow_ended
    from flow_runs r join flows f on f.company_id = r.company_id and f.id = r.flow_id
    where r.company_id = ${companyId} and r.id = ${id} for update of r`);
  return rows[0];
}

/**
 * Makes an ended run active again; it is due at once, unless it waits for a later moment. Violates the unique index
 * flow_runs_live if the contact has another live run in the flow.
 */
export async function reviveRun(
  tx: Tx,
  companyId: number,
  id: number,
  by: { version: number; listens: string[]; now: Date },
): Promise<void> {
  await tx.query(sql`
    update flow_runs set status = 'active', reason = null, ended_at = null, due_at = greatest(due_at, ${by.now}),
      version = ${by.version}, listens = ${by.listens}
    where company_id = ${companyId} and id = ${id}`);
}
