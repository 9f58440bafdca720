import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../db/sql.ts';
import type { AbTest, Variant } from './contract.ts';
import type { CampaignStatus } from './status.ts';

export interface CampaignRow {
  id: number;
  name: string;
  type: 'email' | 'sms';
  status: CampaignStatus;
  reason: string | null;
  subject: string | null;
  preview_text: string | null;
  content: string | null;
  template_id: number | null;
  sender: string | null;
  list_id: number | null;
  segment_id: number | null;
  variants: Variant[];
  ab_test: AbTest | null;
  winner: string | null;
  max_lateness_hours: number | null;
  scheduled_at: Date | null;
  started_at: Date | null;
  audience_cursor: number;
  recipients: number | null;
  counted: number | null;
  count_due: boolean;
  retry: CampaignRetry | null;
  finished_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Failed messages that are still to be queued again: those of the statuses with ids behind `after`, up to `until`. */
export interface CampaignRetry {
  after: number;
  until: number;
  statuses: ('failed' | 'unknown')[];
}

const COLUMNS = rawSql(`k.id, k.name, k.type, k.status, k.reason, k.subject, k.preview_text, k.content, k.template_id,
  k.sender, k.list_id, k.segment_id, k.variants, k.ab_test, k.winner, k.max_lateness_hours,
  k.scheduled_at, k.started_at, k.audience_cursor, k.recipients, k.counted, k.count_due, k.retry,
  k.finished_at, k.created_at, k.updated_at`);

/** Newest first. A shop has hundreds of campaigns, not millions: they are counted. */
export async function listCampaigns(
  db: Queryable,
  companyId: number,
  filters: { type: string | null; status: string | null },
  page: { skip: number; take: number },
): Promise<{ rows: CampaignRow[]; total: number }> {
  const { type, status } = filters;
  const where = sql`k.company_id = ${companyId} ${type === null ? emptySql : sql`and k.type = ${type}`}
    ${status === null ? emptySql : sql`and k.status = ${status}`}`;
  const rows = await db.query<{ list_total: number } & { [K in keyof CampaignRow]: CampaignRow[K] | null }>(sql`
    select l.total as list_total, ${COLUMNS}
    from (select count(*) as total from campaigns k where ${where}) l
    left join lateral (
      select * from campaigns k where ${where} order by k.id desc offset ${page.skip} limit ${page.take}
    ) k on true
    order by k.id desc`);
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & CampaignRow => row.id !== null) };
}

export async function findCampaign(db: Queryable, companyId: number, id: number): Promise<CampaignRow | undefined> {
  const rows = await db.query<CampaignRow>(sql`
    select ${COLUMNS} from campaigns k where k.company_id = ${companyId} and k.id = ${id}`);
  return rows[0];
}

/** Whoever changes a campaign comes through here; hand-overs of its messages wait meanwhile. */
export async function lockCampaign(tx: Tx, companyId: number, id: number): Promise<CampaignRow | undefined> {
  const rows = await tx.query<CampaignRow>(sql`
    select ${COLUMNS} from campaigns k where k.company_id = ${companyId} and k.id = ${id} for no key update`);
  return rows[0];
}

export type NewCampaign = Omit<
  CampaignRow,
  | 'id'
  | 'reason'
  | 'winner'
  | 'started_at'
  | 'audience_cursor'
  | 'recipients'
  | 'counted'
  | 'count_due'
  | 'retry'
  | 'finished_at'
  | 'created_at'
  | 'updated_at'
>;

export async function insertCampaign(tx: Tx, companyId: number, row: NewCampaign, now: Date): Promise<CampaignRow> {
  const rows = await tx.query<CampaignRow>(sql`
    insert into campaigns as k (company_id, name, type, status, subject, preview_text, content, template_id, sender, list_id,
      segment_id, variants, ab_test, max_lateness_hours, scheduled_at, count_due, created_at, updated_at)
    values (${companyId}, ${row.name}, ${row.type}, ${row.status}, ${row.subject}, ${row.preview_text}, ${row.content},
      ${row.template_id}, ${row.sender}, ${row.list_id}, ${row.segment_id}, ${JSON.stringify(row.variants)}::jsonb,
      ${row.ab_test}::jsonb, ${row.max_lateness_hours}, ${row.scheduled_at}, ${row.status === 'scheduled'}, ${now}, ${now})
    returning ${COLUMNS}`);
  return rows[0]!;
}

/** Writes the whole row, which the caller has locked. */
export async function updateCampaign(tx: Tx, companyId: number, row: CampaignRow, now: Date): Promise<CampaignRow> {
  const rows = await tx.query<CampaignRow>(sql`
    update campaigns k
    set name = ${row.name}, status = ${row.status}, reason = ${row.reason}, subject = ${row.subject},
      preview_text = ${row.preview_text}, content = ${row.content}, template_id = ${row.template_id},
      sender = ${row.sender}, list_id = ${row.list_id}, segment_id = ${row.segment_id},
      variants = ${JSON.stringify(row.variants)}::jsonb, ab_test = ${row.ab_test}::jsonb, winner = ${row.winner},
      max_lateness_hours = ${row.max_lateness_hours}, scheduled_at = ${row.scheduled_at},
      started_at = ${row.started_at}, audience_cursor = ${row.audience_cursor}, recipients = ${row.recipients},
      counted = ${row.counted}, count_due = ${row.count_due}, retry = ${row.retry}::jsonb,
      finished_at = ${row.finished_at}, updated_at = ${now}
    where k.company_id = ${companyId} and k.id = ${row.id}
    returning ${COLUMNS}`);
  return rows[0]!;
}

export async function deleteCampaign(tx: Tx, companyId: number, id: number): Promise<void> {
  await tx.query(sql`delete from campaigns where company_id = ${companyId} and id = ${id}`);
}

/** Whether something of it is on its way. */
export async function hasOpenMessages(tx: Tx, companyId: number, id: number): Promise<boolean> {
  const rows = await tx.query(sql`
    select id from messages
    where company_id = ${companyId} and campaign_id = ${id} and status = 'queued' limit 1`);
  return rows.length > 0;
}

/** What a campaign names. */
export function namesOf({
  list_id,
  segment_id,
  template_id,
  variants,
  type,
}: Pick<NewCampaign, 'list_id' | 'segment_id' | 'template_id' | 'variants' | 'type'>) {
  const templateIds = [template_id, ...variants.map((variant) => variant.template_id)].flatMap((id) => id ?? []);
  return { listId: list_id, segmentId: segment_id, templateIds, type };
}

export interface Missing {
  list: boolean;
  segment: boolean;
  templates: number[];
}

/** Which of what a campaign names does not exist. */
export async function findMissing(tx: Tx, companyId: number, names: ReturnType<typeof namesOf>): Promise<Missing> {
  const rows = await tx.query<Missing>(sql`
    select ${names.listId}::bigint is not null and not exists (
        select 1 from lists where company_id = ${companyId} and id = ${names.listId} and deleted_at is null) as list,
      ${names.segmentId}::bigint is not null and not exists (
        select 1 from segments where company_id = ${companyId} and id = ${names.segmentId}) as segment,
      coalesce((select json_agg(named.id) from unnest(${names.templateIds}::bigint[]) as named (id) where not exists (
        select 1 from templates t
        where t.company_id = ${companyId} and t.id = named.id and t.channel = ${names.type})), '[]') as templates`);
  return rows[0]!;
}

/** Whether one of the templates brings no subject of its own. */
export async function areWithoutSubject(db: Queryable, companyId: number, ids: number[]): Promise<boolean> {
  const rows = await db.query(sql`
    select id from templates
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and coalesce(subject, '') = '' limit 1`);
  return rows.length > 0;
}

export interface CountRow {
  list: string;
  facet: string;
  n: number;
}

/** The kept numbers of campaigns: of messages by state and variant, of what happened to them but for the single links. */
export function findCounts(db: Queryable, companyId: number, ids: number[]): Promise<CountRow[]> {
  const lists = ids.flatMap((id) => [`campaign-messages:${id}`, `campaign-activity:${id}`]);
  return db.query<CountRow>(sql`
    select list, facet, sum(n)::bigint as n from (
      select list, facet, n from list_counts where company_id = ${companyId} and list = any(${lists}::text[])
      union all
      select list, facet, n from list_count_deltas where company_id = ${companyId} and list = any(${lists}::text[])
    ) kept
    where facet not like 'link:%'
    group by list, facet`);
}

/** Who clicked, by link; the links that most did. Personal addresses count as the one of their template. */
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

/** The kept numbers of what happened to a campaign's messages by day, the first day first. */
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

/** The last written first. `facets` are those of the kept total that the state admits. */
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
      where m.company_id = ${companyId} and m.campaign_id = ${campaignId} and m.id < l.below
        ${state === null ? emptySql : sql`and m.state = ${state}`}
      order by m.id desc offset l.rest limit ${page.take}
    ) m on true
    order by m.id desc`);
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & RecipientRow => row.id !== null) };
}

/** The kept numbers of a campaign's messages by why they were not sent; those with most of them. */
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
