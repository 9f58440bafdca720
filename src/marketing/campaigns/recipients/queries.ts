import type { KeysetPage } from '../../../db/keyset-pages.ts';
import { countRows, pageOfKeys } from '../../../db/lists.ts';
import type { Queryable } from '../../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql, unprepared } from '../../../db/sql.ts';
import type { PageBounds } from '../../../lib/paging.ts';
import type { MessageState, MessageStatus } from '../../../messaging/ledger/message.ts';

export interface RecipientRow {
  id: number;
  contact_id: number | null;
  recipient: string | null;
  status: MessageStatus;
  reason: string | null;
  variant: string | null;
  handed_over_at: Date | null;
}

interface RecipientPage {
  rows: RecipientRow[];
  total: number;
}

/** A page of recipients by the state of their message, newest first, with the exact total that the report shows too. */
export function listByState(
  db: Queryable,
  companyId: number,
  campaignId: number,
  state: MessageState | null,
  page: PageBounds,
): Promise<RecipientPage> {
  // The keys of the counter are the states, each followed by a variant.
  const total = sql`
    select coalesce(sum(n), 0)::bigint as total from counters
    where company_id = ${companyId} and counter = ${`campaign-messages:${campaignId}`}
      ${state === null ? emptySql : sql`and split_part(key, ':', 1) = ${state}`}`;
  const keys = sql`select m.id ${fromMessages(companyId, campaignId, state)} order by m.id desc`;
  return listPage(db, pageOf(companyId, { total, keys }, page));
}

/** The messages of a campaign, all or those in a state. An index contains the columns. */
function fromMessages(companyId: number, campaignId: number, state: MessageState | null): Statement {
  return sql`from messages m where m.company_id = ${companyId} and m.campaign_id = ${campaignId}
    ${state === null ? emptySql : sql`and m.status = ${state}`}`;
}

/**
 * A page of recipients whose messages have an activity of these types, newest first. The total is counted: the campaign's counter of
 * activity keeps messages that were removed for their age, for the report. Activity does not name its campaign: both indexes are read side
 * by side, within the range of the campaign's messages.
 */
export function listByActivity(
  db: Queryable,
  companyId: number,
  campaignId: number,
  { range: { lowest, below }, types }: { range: IdRange; types: readonly string[] },
  page: PageBounds,
): Promise<RecipientPage> {
  const active = sql`
    select m.id from messages m
    join message_activity a on a.company_id = ${companyId} and a.message_id = m.id and a.type = any(${[...types]}::text[])
    where m.company_id = ${companyId} and m.campaign_id = ${campaignId} and a.message_id >= ${lowest} and a.message_id < ${below}
    group by m.id`;
  const total = countRows(sql`from (${active}) active`);
  const keys = sql`${active} order by m.id desc`;
  // Not prepared: the range determines the best plan.
  return listPage(db, unprepared(pageOf(companyId, { total, keys }, page)));
}

function pageOf(
  companyId: number,
  { total, keys }: { total: Statement; keys: Statement },
  page: PageBounds,
): Statement {
  return sql`
    select l.total as list_total, m.id, m.contact_id, m.recipient, m.status, m.reason, m.variant, m.handed_over_at
    from (${total}) l
    left join (
      (${pageOfKeys(keys, page)}) keys
      cross join lateral (select * from ledger where company_id = ${companyId} and id = keys.id offset 0) m
    ) on true
    order by m.id desc`;
}

async function listPage(db: Queryable, page: Statement): Promise<RecipientPage> {
  const rows = await db.query<{ list_total: number } & { [K in keyof RecipientRow]: RecipientRow[K] | null }>(page);
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & RecipientRow => row.id !== null) };
}

/** A range of message ids, from `lowest` up to but excluding `below`, with all of a campaign's messages and some of others. */
export interface IdRange {
  lowest: number;
  below: number;
}

/** The range of the campaign's message ids; null if it has none. */
export async function findRange(db: Queryable, companyId: number, campaignId: number): Promise<IdRange | null> {
  const rows = await db.query<{ lowest: number | null; below: number }>(sql`
    select min(id) as lowest, max(id) + 1 as below from messages
    where company_id = ${companyId} and campaign_id = ${campaignId}`);
  const { lowest, below } = rows[0]!;
  return lowest === null ? null : { lowest, below };
}

/** The columns of a line of the export, for `keysetPages`; newest first. */
const LINE =
  rawSql(`json_build_array(m.id, m.contact_id, c.first_name, c.last_name, m.recipient, m.status, m.reason, m.variant,
  case when m.status = 'sent' then to_char(m.handed_over_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') end)`);

export function linesByState(
  companyId: number,
  campaignId: number,
  state: MessageState | null,
  { after, limit }: KeysetPage,
): Statement {
  return sql`
    select m.id, ${LINE} as data
    from (select m.id ${fromMessages(companyId, campaignId, state)} and m.id < ${after} order by m.id desc limit ${limit}) keys
    cross join lateral (select * from ledger where company_id = ${companyId} and id = keys.id offset 0) m
    left join contacts c on c.company_id = ${companyId} and c.id = m.contact_id
    order by m.id desc`;
}

export function linesByActivity(
  companyId: number,
  campaignId: number,
  { range: { lowest, below }, types }: { range: IdRange; types: readonly string[] },
  { after, limit }: KeysetPage,
): Statement {
  return sql`
    select m.id, ${LINE} as data
    from (
      select message_id from message_activity
      where company_id = ${companyId} and message_id >= ${lowest} and message_id < ${Math.min(below, after)}
        and type = any(${[...types]}::text[])
      group by message_id order by message_id desc
    ) a
    cross join lateral (
      select * from ledger where company_id = ${companyId} and id = a.message_id and campaign_id = ${campaignId} offset 0
    ) m
    left join contacts c on c.company_id = ${companyId} and c.id = m.contact_id
    order by a.message_id desc limit ${limit}`;
}
