import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface MarkRow {
  company_id: number;
  source: string;
  mark: number;
}

/** Rows read at the end of each table: enough to notice a transaction that commits after a later one. */
const LATEST = 20;

/**
 * Returns a change number for everything that pages of these companies show; it differs after a change. Only uses primary keys, so that the
 * cost does not depend on a company's size: 25 rows of live_marks and the ends of three tables.
 */
export function readMarks(db: Queryable, companyIds: readonly number[], eventsSince: Date): Promise<MarkRow[]> {
  return db.query<MarkRow>(sql`
    select m.company_id, m.kind as source, m.n as mark from live_marks m where m.company_id = any(${companyIds}::bigint[])
    union all
    select c.id, latest.source, latest.mark from unnest(${companyIds}::bigint[]) c (id), lateral (
      -- By the month, not to the moment: the last rows are found without looking at older ones.
      select 'events' as source, coalesce(sum(e.event_id), 0)::bigint as mark from (
        select event_id from events where company_id = c.id and received_at >= ${eventsSince}
        order by event_id desc limit ${LATEST}) e
      union all
      select 'campaigns', coalesce(sum(hashtext(g::text)), 0)::bigint from (
        select id, status, updated_at from campaigns where company_id = c.id order by id desc limit ${LATEST}) g
      union all
      select 'imports', coalesce(sum(hashtext(i::text)), 0)::bigint from (
        select id, status, position, chunks, undone, kept from imports where company_id = c.id order by id desc limit ${LATEST}) i
    ) latest`);
}
