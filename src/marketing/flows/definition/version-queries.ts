import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { Definition } from './definition.ts';

export interface VersionRow {
  flow_id: number;
  version: number;
  name: string;
  trigger_type: string;
  definition: Definition;
  created_at: Date;
}

export async function insertVersion(
  tx: Tx,
  companyId: number,
  version: VersionRow & { listens: readonly string[]; awaits: readonly string[] },
): Promise<void> {
  await tx.query(sql`
    insert into flow_versions (company_id, flow_id, version, name, trigger_type, definition, listens, awaits, created_at)
    values (${companyId}, ${version.flow_id}, ${version.version}, ${version.name}, ${version.trigger_type},
      ${version.definition}, ${version.listens}, ${version.awaits}, ${version.created_at})`);
}

export async function findVersions(
  db: Queryable,
  companyId: number,
  pairs: { flowId: number; version: number }[],
): Promise<VersionRow[]> {
  return db.query<VersionRow>(sql`
    select v.flow_id, v.version, v.name, v.trigger_type, v.definition, v.created_at
    from unnest(${pairs.map((p) => p.flowId)}::bigint[], ${pairs.map((p) => p.version)}::int[]) as p (flow_id, version)
    join flow_versions v on v.company_id = ${companyId} and v.flow_id = p.flow_id and v.version = p.version`);
}

/** The flow's versions, the newest first. */
export async function listVersions(db: Queryable, companyId: number, flowId: number): Promise<VersionRow[]> {
  return db.query<VersionRow>(sql`
    select flow_id, version, name, trigger_type, definition, created_at from flow_versions
    where company_id = ${companyId} and flow_id = ${flowId} order by version desc`);
}
