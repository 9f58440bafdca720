import type { Queryable } from '../../../db/pool.ts';
import { type Statement, sql } from '../../../db/sql.ts';
import { joinAddresses, type ZoneSources, zoneSources } from '../../../recipients/time-zone.ts';

/** The number of recipients by what says their time zones, without those of whom nothing says it. */
export function countZoneSources(
  db: Queryable,
  companyId: number,
  recipients: Statement,
): Promise<(ZoneSources & { n: number })[]> {
  return db.query(sql`
    select z.zone, z.country, z.state, count(*) as n from (
      select ${zoneSources} from (${recipients}) r
      join contacts c on c.company_id = ${companyId} and c.id = r.id ${joinAddresses}) z
    where z.zone is not null or z.country is not null
    group by z.zone, z.country, z.state`);
}
