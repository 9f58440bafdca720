import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { type WalkedKey, walkSorted } from '../../db/walk-sorted.ts';
import type { Sort } from '../../lib/sorting.ts';
import type { ComposedAudience } from './audience/composition.ts';
import type { Batches, BatchState } from './batches/plan.ts';
import type { AbTest, Variant } from './campaign-schema.ts';
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
  /** null if `list_id` and `segment_id` say it all. */
  audience: ComposedAudience | null;
  variants: Variant[];
  ab_test: AbTest | null;
  winner: string | null;
  max_lateness_hours: number | null;
  holdout_percent: number;
  /** The number of recipients held out, once all are drawn. */
  held_out: number | null;
  send_in_contact_time_zone: boolean;
  /** When it starts, if each recipient gets it by their own time zone (see time-zones/local-time.ts); null: at scheduled_at. */
  first_zone_at: Date | null;
  scheduled_at: Date | null;
  batches: Batches | null;
  /** null before the first batch. */
  batching: BatchState | null;
  started_at: Date | null;
  audience_cursor: number;
  recipients: number | null;
  counted: number | null;
  count_due: boolean;
  retry: CampaignRetry | null;
  finished_at: Date | null;
  revision: number;
  created_at: Date;
  updated_at: Date;
}

/** A retry under way: messages of these statuses with ids above `after`, up to `until`, have yet to be queued again. */
export interface CampaignRetry {
  after: number;
  until: number;
  statuses: ('failed' | 'unknown')[];
}

const COLUMNS = rawSql(`k.id, k.name, k.type, k.status, k.reason, k.subject, k.preview_text, k.content, k.template_id,
  k.sender, k.list_id, k.segment_id, k.audience, k.variants, k.ab_test, k.winner, k.max_lateness_hours,
  k.holdout_percent, k.held_out, k.send_in_contact_time_zone, k.first_zone_at,
  k.batches, k.batching, k.scheduled_at, k.started_at, k.audience_cursor, k.recipients, k.counted, k.count_due, k.retry,
  k.finished_at, k.revision, k.created_at, k.updated_at`);

const KEYS = {
  name: { value: rawSql('lower(k.name)'), type: 'text' },
  scheduled: { value: rawSql('k.scheduled_at'), type: 'timestamptz', nulls: 'last' },
} as const satisfies Record<string, WalkedKey>;

export interface CampaignFilters {
  type: string | null;
  status: string | null;
  sort: Sort<keyof typeof KEYS>;
}

function matches(companyId: number, { type, status }: CampaignFilters): Statement {
  return sql`k.company_id = ${companyId} ${type === null ? emptySql : sql`and k.type = ${type}`}
    ${status === null ? emptySql : sql`and k.status = ${status}`}`;
}

/** Counted and sorted as a whole: a shop has hundreds of campaigns, not millions. */
export async function listCampaigns(
  db: Queryable,
  companyId: number,
  filters: CampaignFilters,
  page: { skip: number; take: number },
): Promise<{ rows: CampaignRow[]; total: number }> {
  const { sort } = filters;
  const way = rawSql(sort.direction);
  const order = sql`order by ${sort.key === null ? emptySql : sql`${KEYS[sort.key].value} ${way} nulls last,`} k.id ${way}`;
  const where = matches(companyId, filters);
  const rows = await db.query<{ list_total: number } & { [K in keyof CampaignRow]: CampaignRow[K] | null }>(sql`
    select l.total as list_total, ${COLUMNS}
    from (select count(*) as total from campaigns k where ${where}) l
    left join lateral (
      select * from campaigns k where ${where} ${order} offset ${page.skip} limit ${page.take}
    ) k on true
    ${order}`);
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & CampaignRow => row.id !== null) };
}

/** The same list as a whole, in pages. */
export async function* walkCampaigns(
  db: Queryable,
  companyId: number,
  filters: CampaignFilters,
): AsyncGenerator<CampaignRow[]> {
  const { key, direction } = filters.sort;
  const from = sql`from campaigns k where ${matches(companyId, filters)}`;
  const set = { from, id: rawSql('k.id'), key: key === null ? null : KEYS[key] };
  for await (const ids of walkSorted(db, set, direction))
    yield db.query<CampaignRow>(sql`
      select ${COLUMNS} from campaigns k where k.company_id = ${companyId} and k.id = any(${ids}::bigint[])
      order by array_position(${ids}::bigint[], k.id)`);
}

export async function findCampaign(db: Queryable, companyId: number, id: number): Promise<CampaignRow | undefined> {
  const rows = await db.query<CampaignRow>(sql`
    select ${COLUMNS} from campaigns k where k.company_id = ${companyId} and k.id = ${id}`);
  return rows[0];
}

/** Locks the row until COMMIT. Every change of a campaign starts with this; meanwhile none of its messages is handed over. */
export async function findCampaignForUpdate(tx: Tx, companyId: number, id: number): Promise<CampaignRow | undefined> {
  const rows = await tx.query<CampaignRow>(sql`
    select ${COLUMNS} from campaigns k where k.company_id = ${companyId} and k.id = ${id} for no key update`);
  return rows[0];
}

export type NewCampaign = Omit<
  CampaignRow,
  | 'id'
  | 'reason'
  | 'winner'
  | 'held_out'
  | 'batching'
  | 'started_at'
  | 'audience_cursor'
  | 'recipients'
  | 'counted'
  | 'count_due'
  | 'retry'
  | 'finished_at'
  | 'revision'
  | 'created_at'
  | 'updated_at'
>;

export async function insertCampaign(tx: Tx, companyId: number, row: NewCampaign, now: Date): Promise<CampaignRow> {
  const rows = await tx.query<CampaignRow>(sql`
    insert into campaigns as k (company_id, name, type, status, subject, preview_text, content, template_id, sender, list_id,
      segment_id, audience, variants, ab_test, max_lateness_hours, holdout_percent, send_in_contact_time_zone,
      first_zone_at, batches, scheduled_at, count_due, created_at, updated_at)
    values (${companyId}, ${row.name}, ${row.type}, ${row.status}, ${row.subject}, ${row.preview_text}, ${row.content},
      ${row.template_id}, ${row.sender}, ${row.list_id}, ${row.segment_id}, ${row.audience}::jsonb, ${JSON.stringify(row.variants)}::jsonb,
      ${row.ab_test}::jsonb, ${row.max_lateness_hours}, ${row.holdout_percent}, ${row.send_in_contact_time_zone},
      ${row.first_zone_at}, ${row.batches}::jsonb, ${row.scheduled_at}, ${row.status === 'scheduled'}, ${now}, ${now})
    returning ${COLUMNS}`);
  return rows[0]!;
}

/** Writes the whole row, which the caller has locked. */
export async function updateCampaign(tx: Tx, companyId: number, row: CampaignRow, now: Date): Promise<CampaignRow> {
  const rows = await tx.query<CampaignRow>(sql`
    update campaigns k
    set name = ${row.name}, status = ${row.status}, reason = ${row.reason}, subject = ${row.subject},
      preview_text = ${row.preview_text}, content = ${row.content}, template_id = ${row.template_id},
      sender = ${row.sender}, list_id = ${row.list_id}, segment_id = ${row.segment_id}, audience = ${row.audience}::jsonb,
      variants = ${JSON.stringify(row.variants)}::jsonb, ab_test = ${row.ab_test}::jsonb, winner = ${row.winner},
      max_lateness_hours = ${row.max_lateness_hours}, holdout_percent = ${row.holdout_percent}, held_out = ${row.held_out},
      send_in_contact_time_zone = ${row.send_in_contact_time_zone}, first_zone_at = ${row.first_zone_at}, batches = ${row.batches}::jsonb,
      batching = ${row.batching}::jsonb, scheduled_at = ${row.scheduled_at},
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

/** Whether the campaign has queued messages. */
export async function hasQueuedMessages(tx: Tx, companyId: number, id: number): Promise<boolean> {
  const rows = await tx.query(sql`
    select id from messages
    where company_id = ${companyId} and campaign_id = ${id} and status = 'queued' limit 1`);
  return rows.length > 0;
}
