import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { CampaignRow } from '../queries.ts';

export interface CountRow {
  counter: string;
  key: string;
  n: number;
}

/**
 * Stored counts of campaigns: messages by state and variant, and their activity. Includes
 * messages that were removed for their age.
 */
export function findCounts(db: Queryable, companyId: number, ids: number[]): Promise<CountRow[]> {
  const counters = ids.flatMap((id) => [
    `campaign-messages:${id}`,
    `campaign-removed:${id}`,
    `campaign-activity:${id}`,
  ]);
  return db.query<CountRow>(sql`
    select replace(counter, '-removed:', '-messages:') as counter, key, sum(n)::bigint as n from counters
    where company_id = ${companyId} and counter = any(${counters}::text[])
    group by 1, key`);
}

/** Returns the ids of the last campaigns of the type that started between the two times, the second excluded. */
export async function findStarted(
  db: Queryable,
  companyId: number,
  { type, from, before, limit }: { type: CampaignRow['type']; from: Date; before: Date; limit: number },
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select id from campaigns
    where company_id = ${companyId} and type = ${type} and started_at >= ${from} and started_at < ${before}
    order by started_at desc limit ${limit}`);
  return rows.map(({ id }) => id);
}

/** Recipients who clicked, by link, the most clicked links first. A personalised URL counts as the URL in its template. */
export function findClicks(
  db: Queryable,
  companyId: number,
  id: number,
  limit: number,
): Promise<{ url: string; clicks: number }[]> {
  return db.query(sql`
    with clicked as materialized (
      select key::bigint as link_id, sum(n)::bigint as clicks from counters
      where company_id = ${companyId} and counter = ${`campaign-links:${id}`}
      group by key order by clicks desc, link_id limit ${limit}
    )
    select coalesce(l.url, '') as url, c.clicks
    from clicked c left join tracked_links l on l.company_id = ${companyId} and l.id = c.link_id
    order by c.clicks desc, c.link_id`);
}

export interface DayRow {
  date: string;
  key: string;
  n: number;
}

/** Stored counts of a campaign's activity by day, in order. */
export function findDays(db: Queryable, companyId: number, id: number): Promise<DayRow[]> {
  return db.query<DayRow>(sql`
    select to_char(day, 'YYYY-MM-DD') as date, key, sum(n)::bigint as n from counters
    where company_id = ${companyId} and counter = ${`campaign-days:${id}`}
    group by day, key order by day, key`);
}

/** Stored counts of messages that were not sent, by reason; the 100 most frequent. */
export function findReasons(
  db: Queryable,
  companyId: number,
  campaignId: number,
): Promise<{ status: string; reason: string | null; count: number }[]> {
  return db.query(sql`
    select split_part(key, ':', 1) as status, nullif(substr(key, strpos(key, ':') + 1), '') as reason, sum(n)::bigint as count
    from counters where company_id = ${companyId} and counter = ${`campaign-reasons:${campaignId}`}
    group by key having sum(n) > 0 order by sum(n) desc, key limit 100`);
}
