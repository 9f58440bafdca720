import type { Queryable } from '../../../db/pool.ts';
import { emptySql, sql } from '../../../db/sql.ts';

export interface CountRow {
  list: string;
  facet: string;
  n: number;
}

/**
 * Stored counts of campaigns: messages by state and variant, and their activity without the counts of single links. Includes
 * messages that were removed for their age.
 */
export function findCounts(db: Queryable, companyId: number, ids: number[]): Promise<CountRow[]> {
  const lists = ids.flatMap((id) => [`campaign-messages:${id}`, `campaign-removed:${id}`, `campaign-activity:${id}`]);
  return db.query<CountRow>(sql`
    select replace(list, '-removed:', '-messages:') as list, facet, sum(n)::bigint as n from (
      select list, facet, n from list_spans where company_id = ${companyId} and list = any(${lists}::text[])
      union all
      select list, facet, n from list_count_deltas where company_id = ${companyId} and list = any(${lists}::text[])
    ) kept
    where facet not like 'link:%'
    group by 1, facet`);
}

/** Recipients who clicked, by link, the most clicked links first. A personalised URL counts as the URL in its template. */
export function findClicks(
  db: Queryable,
  companyId: number,
  id: number,
  limit: number,
): Promise<{ url: string; clicks: number }[]> {
  const list = `campaign-activity:${id}`;
  return db.query(sql`
    with clicked as materialized (
      select substr(facet, 6)::bigint as link_id, sum(n)::bigint as clicks from (
        select facet, n from list_counts where company_id = ${companyId} and list = ${list} and facet like 'link:%'
        union all
        select facet, n from list_count_deltas where company_id = ${companyId} and list = ${list} and facet like 'link:%'
      ) kept
      group by facet order by clicks desc, link_id limit ${limit}
    )
    select coalesce(l.url, '') as url, c.clicks
    from clicked c left join tracked_links l on l.company_id = ${companyId} and l.id = c.link_id
    order by c.clicks desc, c.link_id`);
}

export interface DayRow {
  date: string;
  facet: string;
  n: number;
}

/** Stored counts of a campaign's activity by day, in order. */
export function findDays(db: Queryable, companyId: number, id: number): Promise<DayRow[]> {
  const list = `campaign-days:${id}`;
  return db.query<DayRow>(sql`
    select to_char(day, 'YYYY-MM-DD') as date, facet, sum(n)::bigint as n from (
      select day, facet, n from list_counts where company_id = ${companyId} and list = ${list}
      union all
      select day, facet, n from list_count_deltas where company_id = ${companyId} and list = ${list}
    ) kept
    group by day, facet order by day, facet`);
}

export interface RecipientRow {
  id: number;
  contact_id: number | null;
  recipient: string | null;
  status: 'queued' | 'claimed' | 'handing_over' | 'sent' | 'failed' | 'skipped' | 'unknown';
  reason: string | null;
  variant: string | null;
  handed_over_at: Date | null;
}

/** Newest first. `facets` are those of the stored total that make up the state; null for all. */
export async function listRecipients(
  db: Queryable,
  companyId: number,
  campaignId: number,
  filter: { state: string | null; facets: string[] | null },
  page: { skip: number; take: number },
): Promise<{ rows: RecipientRow[]; total: number }> {
  const { state, facets } = filter;
  const rows = await db.query<{ list_total: number } & { [K in keyof RecipientRow]: RecipientRow[K] | null }>(sql`
    select l.total as list_total, m.id, m.contact_id, m.recipient, m.status, m.reason, m.variant, m.handed_over_at
    from locate_page(${companyId}, ${`campaign-messages:${campaignId}`}, ${facets}::text[], null, null, ${page.skip}) l
    left join lateral (
      select * from ledger m
      where m.company_id = ${companyId} and m.campaign_id = ${campaignId} and m.id < l.below and m.id >= l.lowest
        ${state === null ? emptySql : sql`and m.state = ${state}`}
      order by m.id desc offset l.rest limit ${page.take}
    ) m on true
    order by m.id desc`);
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & RecipientRow => row.id !== null) };
}

/** Stored counts of messages that were not sent, by reason; the 100 most frequent. */
export function findReasons(
  db: Queryable,
  companyId: number,
  campaignId: number,
): Promise<{ status: string; reason: string | null; count: number }[]> {
  const list = `campaign-reasons:${campaignId}`;
  return db.query(sql`
    select split_part(facet, ':', 1) as status, nullif(substr(facet, strpos(facet, ':') + 1), '') as reason,
      sum(n)::bigint as count
    from (
      select facet, n from list_counts where company_id = ${companyId} and list = ${list}
      union all
      select facet, n from list_count_deltas where company_id = ${companyId} and list = ${list}
    ) kept
    group by facet having sum(n) > 0 order by sum(n) desc, facet limit 100`);
}
