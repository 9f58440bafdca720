import { constraintOf, type Queryable, type Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import { SENDING_ALLOWED } from '../../../installation.ts';
import { FREE, UNTIL_WINNER } from '../../../messaging/ledger/message.ts';
import { unseen } from '../../contacts/service.ts';
import type { CampaignRow } from '../queries.ts';
import { boundsOf } from '../variants/variants.ts';
import { HAS_SNAPSHOT } from './snapshot-queries.ts';

/** Whom a campaign goes to: contacts (alias c) that may be written to, and are on the list or in the segment. */
export interface Audience {
  companyId: number;
  campaign: Pick<CampaignRow, 'id' | 'type' | 'list_id' | 'segment_id' | 'variants' | 'ab_test'>;
  /** Who came later is not among them. */
  startedAt: Date;
}

/** Contacts that one statement writes into the ledger, an eighth of a second of work; a row of a snapshot holds as many. */
export const PART = 10_000;

/**
 * Who may be written to by the campaign, of contacts (alias c): all that asks for consent and address is here. A bounced mailbox
 * says nothing of SMS, and a consent to e-mail neither.
 */
function mayBeWrittenTo({ campaign }: Audience): Statement {
  return rawSql(
    campaign.type === 'email'
      ? "c.status = 'subscribed' and c.email is not null"
      : "c.sms_consent = 'subscribed' and c.phone is not null",
  );
}

/** The contacts that a segment's rules pick (`condition`, over the alias c). */
export function peopleOfSegment(audience: Audience, condition: Statement): Statement {
  const { companyId, startedAt } = audience;
  return sql`
    select c.id from contacts c
    where c.company_id = ${companyId} and ${mayBeWrittenTo(audience)} and c.created_at <= ${startedAt} and ${condition}`;
}

function peopleOfList(audience: Audience): Statement {
  const { companyId, campaign, startedAt } = audience;
  return sql`
    select c.id from list_memberships m join contacts c on c.company_id = m.company_id and c.id = m.contact_id
    where m.company_id = ${unseen(companyId)} and m.list_id = ${campaign.list_id}
      and m.status = 'active' and m.created_at <= ${startedAt}
      and (${mayBeWrittenTo(audience)}) is true`;
}

/** @param condition the segment's rules; null for a list */
export async function countAudience(db: Queryable, audience: Audience, condition: Statement | null): Promise<number> {
  const people = condition === null ? peopleOfList(audience) : peopleOfSegment(audience, condition);
  const rows = await db.query<{ n: number }>(sql`select count(*) as n from (${people}) people`);
  return rows[0]!.n;
}

/** Some of those who may belong to an audience, looked at in the order of their ids. */
export interface People {
  looked: number;
  /** The highest id that was looked at; null where nobody was. */
  last: number | null;
  /** Who of them belongs to it, in the order of their ids. */
  ids: number[];
}

/** Looks at the next `limit` people behind the cursor: a list's members, or those of the segment's snapshot. */
export async function findPeople(
  tx: Tx,
  audience: Audience,
  { after, limit }: { after: number; limit: number },
): Promise<People> {
  const scanned =
    audience.campaign.segment_id === null
      ? membersBehind(audience, after, limit)
      : snapshotBehind(audience, after, limit);
  // Looked up by an array: joined, a large list would be walked through from its beginning for every part, and one look-up for
  // each took a quarter of the time.
  const rows = await tx.query<People>(sql`
    with scanned as materialized (${scanned})
    select (select count(*) from scanned) as looked, (select max(id) from scanned) as last, (
      select coalesce(json_agg(c.id order by c.id), '[]') from contacts c
      where c.company_id = ${unseen(audience.companyId)} and c.id = any(array(select id from scanned))
        and ${mayBeWrittenTo(audience)}) as ids`);
  return rows[0]!;
}

function membersBehind({ companyId, campaign, startedAt }: Audience, after: number, limit: number): Statement {
  return sql`
    select m.contact_id as id from list_memberships m
    where m.company_id = ${companyId} and m.list_id = ${campaign.list_id} and m.contact_id > ${after}
      and m.status = 'active' and m.created_at <= ${startedAt}
    order by m.contact_id limit ${limit}`;
}

/** Of the first row that is read some may be written already. */
function snapshotBehind({ companyId, campaign }: Audience, after: number, limit: number): Statement {
  return sql`
    select p.id from (
      select contact_ids from campaign_audiences
      where company_id = ${companyId} and campaign_id = ${campaign.id} and last_id > ${after}
      order by last_id limit ${Math.ceil(limit / PART) + 1}
    ) s, unnest(s.contact_ids) p (id)
    where p.id > ${after} order by p.id limit ${limit}`;
}

/**
 * When all else is written: contacts behind whom the writing was when one who was still to be written was merged into them. They
 * are of the audience now.
 */
export async function findMerged(tx: Tx, audience: Audience): Promise<People> {
  const { companyId, campaign, startedAt } = audience;
  // The moments are those of the requests, which may have waited.
  const merged = sql`
    select a.contact_id, (a.data ->> 'contact_id')::bigint as former_id from contact_activity a
    where a.company_id = ${companyId} and a.type = 'merged' and a.created_at > ${startedAt}::timestamptz - interval '10 minutes'`;
  const people =
    campaign.segment_id === null
      ? // As an array, so that the few are looked up.
        sql`select p.id from (${peopleOfList(audience)}) p where p.id = any(array(select contact_id from (${merged}) a))`
      : sql`
        select c.id from contacts c
        where c.company_id = ${companyId} and ${mayBeWrittenTo(audience)} and c.id = any(array(
          select a.contact_id from (${merged}) a, lateral (values (a.contact_id), (a.former_id)) of_it (id), lateral (
            select s.contact_ids from campaign_audiences s
            where s.company_id = ${companyId} and s.campaign_id = ${campaign.id} and s.last_id >= of_it.id
            order by s.last_id limit 1
          ) s
          where of_it.id = any(s.contact_ids)))`;
  const rows = await tx.query<People>(sql`
    select count(*) as looked, max(s.id) as last, coalesce(json_agg(s.id order by s.id), '[]') as ids from (${people}) s`);
  return rows[0]!;
}

/**
 * Writes these people into the ledger. A variant is drawn by the contact's id, so that a repetition would draw the same;
 * so is who waits for the winner.
 * @param written `none` promises that none of them is in the ledger yet: not to look costs a fifth less. Where it does not
 *   hold, the statement fails (see `wereWritten`). With `some` those who are there stay as they are.
 */
export async function insertMessages(
  tx: Tx,
  { companyId, campaign }: Audience,
  ids: readonly number[],
  { now, written }: { now: Date; written: Written },
): Promise<void> {
  const { keys, bounds, total } = boundsOf(campaign.variants);
  const variant =
    keys.length === 0
      ? rawSql('null')
      : sql`(
          select v.key from unnest(${keys}::text[], ${bounds}::bigint[]) as v (key, bound)
          where not a.waits and v.bound > (hashint8extended(a.id, ${campaign.id}::bigint) & 2147483647) % ${total}::bigint
          order by v.bound limit 1)`;
  await tx.query(sql`
    insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, due_at, origin, campaign_id,
      variant, created_at)
    select ${companyId}, 'c:' || ${campaign.id}::bigint || ':' || a.id, ${campaign.type}, false, 2, a.id,
      case when a.waits then ${UNTIL_WINNER}::timestamptz else ${now}::timestamptz end, 'campaign',
      ${campaign.id}::bigint, ${variant}, ${now}::timestamptz
    from (
      select id, (hashint8extended(id, -${campaign.id}::bigint) & 2147483647) % 100 >= ${campaign.ab_test?.share ?? 100} as waits
      from unnest(${ids}::bigint[]) id
    ) a
    ${written === 'none' ? emptySql : rawSql('on conflict (company_id, idem_key) do nothing')}`);
}

export type Written = 'none' | 'some';

/** Whether `insertMessages` failed since somebody is in the ledger already. */
export function wereWritten(error: unknown): boolean {
  return constraintOf(error) === 'messages_company_id_idem_key_key';
}

/**
 * The transaction's COMMIT does not wait for the disk. Nobody is told of a part of an audience, and whatever builds on it
 * is flushed behind it; a part that a crash takes away, cursor and all, is written again.
 */
export async function flushLater(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('synchronous_commit', 'off', true)`);
}

/** The transaction may stand still: it holds nothing until its statements are sent, COMMIT behind them. */
export async function waitForOther(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('idle_in_transaction_session_timeout', '0', true)`);
}

/**
 * Keeps the campaign from being deleted before COMMIT, beside who has it locked to change it. Fails with
 * serialization_failure where it was deleted already.
 */
export async function keepCampaign(tx: Tx, companyId: number, campaignId: number): Promise<void> {
  await tx.query(sql`
    select fail_serialization('The campaign was deleted')
    where not exists (select from campaigns where company_id = ${companyId} and id = ${campaignId} for key share)`);
}

export async function countMessages(tx: Tx, companyId: number, campaignId: number): Promise<number> {
  const rows = await tx.query<{ n: number }>(sql`
    select count(*) as n from messages where company_id = ${companyId} and campaign_id = ${campaignId}`);
  return rows[0]!.n;
}

/** A campaign. */
export interface Place {
  company_id: number;
  id: number;
}

/** Campaigns of all companies that are due to start. */
export function findDue(db: Queryable, now: Date): Promise<Place[]> {
  return db.query<Place>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status = 'scheduled' and ${SENDING_ALLOWED} and k.scheduled_at <= ${now}
    order by k.scheduled_at, k.company_id, k.id`);
}

/** Campaigns of all companies whose audience is known, and not yet written as a whole. */
export function findUnwritten(db: Queryable): Promise<Place[]> {
  return db.query<Place>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status in ('sending', 'paused') and k.started_at is not null and k.recipients is null
      and (k.segment_id is null or ${HAS_SNAPSHOT})
    order by k.company_id, k.id`);
}

/** Campaigns of all companies that have nothing left on its way. */
export function findFinished(db: Queryable): Promise<Place[]> {
  return db.query<Place>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status = 'sending' and k.recipients is not null and k.retry is null and not exists (
      select 1 from messages m where m.company_id = k.company_id and m.campaign_id = k.id
        and m.status = 'queued')
    order by k.company_id, k.id`);
}

/** True where it was still being sent and has nothing left. */
export async function markFinished(tx: Tx, companyId: number, id: number, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update campaigns k set status = 'sent', finished_at = ${now}, updated_at = ${now}
    where k.company_id = ${companyId} and k.id = ${id} and k.status = 'sending' and k.recipients is not null and k.retry is null
      and not exists (
        select 1 from messages m where m.company_id = k.company_id and m.campaign_id = k.id
          and m.status = 'queued')
    returning k.id`);
  return rows.length > 0;
}

/** Cancelled campaigns of all companies with messages that wait. */
export function findCancelled(db: Queryable): Promise<Place[]> {
  return db.query<Place>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status = 'cancelled' and exists (
      select 1 from messages m where m.company_id = k.company_id and m.campaign_id = k.id and m.status = 'queued')
    order by k.company_id, k.id`);
}

/** Skips some of what a cancelled campaign has waiting; gives how many. */
export async function skipCancelled(
  db: Queryable,
  companyId: number,
  id: number,
  limit: number,
  now: Date,
): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with waiting as materialized (
      select m.id from messages m
      where m.company_id = ${unseen(companyId)} and m.campaign_id = ${id} and m.status = 'queued' and ${FREE}
      limit ${limit} for update skip locked
    ),
    skipped as (
      update messages m set status = 'skipped', reason = 'campaign_cancelled', ended_at = ${now}
      -- Looked up one by one, whatever statistics say: of a company that they did not know yet, all messages were compared with
      -- each of these, and 12,000 took more than 15 s.
      where m.company_id = ${unseen(companyId)} and m.id = any(array(select id from waiting))
      returning 1
    )
    select count(*) as n from skipped`);
  return rows[0]!.n;
}

/** The next moment for which a campaign is scheduled, or a winner due. */
export async function nextScheduled(db: Queryable, now: Date): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(sql`
    select min(w.at) as at from companies co join campaigns k using (company_id), lateral (
      select case k.status when 'scheduled' then k.scheduled_at
        else k.started_at + make_interval(hours => (k.ab_test ->> 'hours')::int) end as at) w
    where (k.status = 'scheduled' or (k.status = 'sending' and k.ab_test is not null and k.winner is null))
      and w.at > ${now}`);
  return rows[0]?.at ?? null;
}
