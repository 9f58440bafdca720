import { hideFromPlanner } from '../../../db/planner-hints.ts';
import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

export async function findCompanyZone(db: Queryable, companyId: number): Promise<string> {
  const rows = await db.query<{ time_zone: string }>(sql`
    select time_zone from companies where company_id = ${companyId}`);
  return rows[0]!.time_zone;
}

/** Names of zones are shorter than this; a longer text is not a zone. */
const LONGEST_NAME = 64;

/** The contacts that have a time zone, grouped by the text in their properties, which may not be a valid zone. */
export function findContactZones(
  db: Queryable,
  companyId: number,
  contactIds: readonly number[],
): Promise<{ zone: string; ids: number[] }[]> {
  return db.query(sql`
    select z.zone, json_agg(c.id) as ids from contacts c, lateral (
      -- As the gate reads it for quiet hours.
      select coalesce(c.properties ->> 'timezone', c.properties ->> 'time_zone') as zone) z
    where c.company_id = ${hideFromPlanner(companyId)} and c.id = any(${contactIds}::bigint[])
      and length(z.zone) between 1 and ${LONGEST_NAME}
    group by z.zone`);
}
