import { hideFromPlanner } from '../../../db/planner-hints.ts';
import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { joinAddresses, type ZoneSources, zoneSources } from '../../../recipients/time-zone.ts';

export async function findCompanyZone(db: Queryable, companyId: number): Promise<string> {
  const rows = await db.query<{ time_zone: string }>(sql`
    select time_zone from companies where company_id = ${companyId}`);
  return rows[0]!.time_zone;
}

/** The contacts, grouped by what says their time zones. */
export function findContactZones(
  db: Queryable,
  companyId: number,
  contactIds: readonly number[],
): Promise<(ZoneSources & { ids: number[] })[]> {
  return db.query(sql`
    select z.zone, z.country, z.state, json_agg(z.id) as ids from (
      select c.id, ${zoneSources} from contacts c ${joinAddresses}
      where c.company_id = ${hideFromPlanner(companyId)} and c.id = any(${contactIds}::bigint[])) z
    where z.zone is not null or z.country is not null
    group by z.zone, z.country, z.state`);
}
