import type { KeysetPage } from '../../../db/keyset-pages.ts';
import type { Queryable } from '../../../db/pool.ts';
import { emptySql, type Statement, sql } from '../../../db/sql.ts';
import type { RecipientRow } from '../report/queries.ts';

/** A range of message ids, from `lowest` up to but excluding `below`, with all of a campaign's messages and some of others. */
export interface IdRange {
  lowest: number;
  below: number;
}

/** The range of the campaign's message ids, from the buckets of its stored totals; null if it has none. */
export async function findRange(db: Queryable, companyId: number, campaignId: number): Promise<IdRange | null> {
  const list = `campaign-messages:${campaignId}`;
  const rows = await db.query<{ lowest: number | null; below: number }>(sql`
    select min(bucket) * 4096 as lowest, (max(bucket) + 1) * 4096 as below from (
      select bucket from list_counts where company_id = ${companyId} and list = ${list}
      union all
      select bucket from list_count_deltas where company_id = ${companyId} and list = ${list}
    ) buckets`);
  const { lowest, below } = rows[0]!;
  return lowest === null ? null : { lowest, below };
}

/** The ids of messages in the range with an activity of these types, newest first: read from the primary key in its order. */
function happened(companyId: number, { lowest, below }: IdRange, types: readonly string[]): Statement {
  return sql`
    select message_id from message_activity
    where company_id = ${companyId} and message_id >= ${lowest} and message_id < ${below} and type = any(${[...types]}::text[])
    group by message_id order by message_id desc`;
}

export interface ByActivity {
  range: IdRange;
  types: readonly string[];
  /** Facets of the stored totals: each type with each variant. */
  facets: readonly string[];
}

/** Whether the stored totals can locate the recipients. They cannot once old messages were removed, which are still counted. */
export async function isLocated(db: Queryable, companyId: number, campaignId: number): Promise<boolean> {
  const removed = `campaign-removed:${campaignId}`;
  const rows = await db.query(sql`
    select 1 from list_counts where company_id = ${companyId} and list = ${removed}
    union all
    select 1 from list_count_deltas where company_id = ${companyId} and list = ${removed}
    limit 1`);
  return rows.length === 0;
}

/** A page of recipients whose messages have an activity of these types, newest first, located by the stored totals (see list_counts). */
export function locateByActivity(
  db: Queryable,
  companyId: number,
  campaignId: number,
  { range: { lowest, below }, types, facets }: ByActivity,
  page: { skip: number; take: number },
): Promise<RecipientRow[]> {
  return db.query<RecipientRow>(sql`
    select m.id, m.contact_id, m.recipient, m.status, m.reason, m.variant, m.handed_over_at
    from locate_page(${companyId}, ${`campaign-activity:${campaignId}`}, ${[...facets]}::text[], null, null, ${page.skip}) l
    cross join lateral (
      select m.* from (
        select message_id from message_activity
        where company_id = ${companyId} and message_id >= greatest(l.lowest, ${lowest}) and message_id < least(l.below, ${below})
          and type = any(${[...types]}::text[])
        group by message_id order by message_id desc
      ) a
      cross join lateral (
        select * from ledger where company_id = ${companyId} and id = a.message_id and campaign_id = ${campaignId} offset 0
      ) m
      order by a.message_id desc offset l.rest limit ${page.take}
    ) m
    order by m.id desc`);
}

/** The same without the totals: reads all pages before it. */
export function listByActivity(
  db: Queryable,
  companyId: number,
  campaignId: number,
  { range, types }: Omit<ByActivity, 'facets'>,
  page: { skip: number; take: number },
): Promise<RecipientRow[]> {
  return db.query<RecipientRow>(sql`
    select m.id, m.contact_id, m.recipient, m.status, m.reason, m.variant, m.handed_over_at
    from (${happened(companyId, range, types)}) a
    cross join lateral (
      select * from ledger where company_id = ${companyId} and id = a.message_id and campaign_id = ${campaignId} offset 0
    ) m
    order by a.message_id desc offset ${page.skip} limit ${page.take}`);
}

/** The number of such recipients by the stored totals; includes those whose messages were removed for their age. */
export async function countByActivity(
  db: Queryable,
  companyId: number,
  campaignId: number,
  types: readonly string[],
): Promise<number> {
  const list = `campaign-activity:${campaignId}`;
  const rows = await db.query<{ n: number }>(sql`
    select coalesce(sum(n), 0)::bigint as n from (
      select facet, n from list_spans where company_id = ${companyId} and list = ${list}
      union all
      select facet, n from list_count_deltas where company_id = ${companyId} and list = ${list}
    ) kept
    where split_part(facet, ':', 1) = any(${[...types]}::text[])`);
  return rows[0]!.n;
}

/** The columns of a line of the export, for `keysetPages`; newest first. */
const line = sql`json_build_array(m.id, m.contact_id, c.first_name, c.last_name, m.recipient, m.status, m.reason, m.variant,
  case when m.status = 'sent' then to_char(m.handed_over_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') end)`;

export function linesByState(
  companyId: number,
  campaignId: number,
  { lowest, below }: IdRange,
  state: string | null,
  { after, limit }: KeysetPage,
): Statement {
  return sql`
    select m.id, ${line} as data
    from (
      select * from ledger
      where company_id = ${companyId} and campaign_id = ${campaignId} and id >= ${lowest} and id < ${Math.min(below, after)}
        ${state === null ? emptySql : sql`and state = ${state}`}
      order by id desc limit ${limit}
    ) m
    left join contacts c on c.company_id = ${companyId} and c.id = m.contact_id
    order by m.id desc`;
}

export function linesByActivity(
  companyId: number,
  campaignId: number,
  { lowest, below }: IdRange,
  types: readonly string[],
  { after, limit }: KeysetPage,
): Statement {
  return sql`
    select m.id, ${line} as data
    from (${happened(companyId, { lowest, below: Math.min(below, after) }, types)}) a
    cross join lateral (
      select * from ledger where company_id = ${companyId} and id = a.message_id and campaign_id = ${campaignId} offset 0
    ) m
    left join contacts c on c.company_id = ${companyId} and c.id = m.contact_id
    order by a.message_id desc limit ${limit}`;
}
