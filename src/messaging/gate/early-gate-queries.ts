import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { QuietHours } from '../../recipients/quiet-hours.ts';
import { joinAddresses, type ZoneSources, zoneSources } from '../../recipients/time-zone.ts';

/** Returns whether the flows of these versions are running, and the quiet hours of the versions. */
export function findFlows(
  db: Queryable,
  companyId: number,
  versions: { flowId: number; version: number }[],
): Promise<{ flow_id: number; version: number; status: string; quiet_hours: QuietHours | null }[]> {
  return db.query(sql`
    select f.id as flow_id, v.version, case when f.deleted_at is null then f.status else 'archived' end as status,
      nullif(v.definition -> 'quiet_hours', 'null') as quiet_hours
    from unnest(${versions.map((v) => v.flowId)}::bigint[], ${versions.map((v) => v.version)}::int[])
      as wanted (flow_id, version)
    join flows f on f.company_id = ${companyId} and f.id = wanted.flow_id
    join flow_versions v on v.company_id = ${companyId} and v.flow_id = wanted.flow_id and v.version = wanted.version`);
}

export function findEmails(
  db: Queryable,
  companyId: number,
  contactIds: number[],
): Promise<{ id: number; email: string | null }[]> {
  return db.query(sql`
    select id, email from contacts where company_id = ${companyId} and id = any(${contactIds}::bigint[])`);
}

/** Returns what says the time zones of contacts. */
export function findZones(
  db: Queryable,
  companyId: number,
  contactIds: number[],
): Promise<(ZoneSources & { id: number })[]> {
  return db.query(sql`
    select c.id, ${zoneSources} from contacts c ${joinAddresses}
    where c.company_id = ${companyId} and c.id = any(${contactIds}::bigint[])`);
}
