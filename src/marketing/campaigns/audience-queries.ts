import { constraintOf, type Queryable, type Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { SENDING_ALLOWED } from '../../installation.ts';
import { FREE, UNTIL_WINNER } from '../../messaging/message.ts';
import { unseen } from '../contacts/service.ts';
import type { CampaignRow } from './queries.ts';
import { boundsOf } from './variants.ts';

/** Whom a campaign goes to: contacts (alias c) that consent to its channel, have an address, and are on the list or in the segment. */
export interface Audience {
  companyId: number;
  campaign: Pick<CampaignRow, 'id' | 'type' | 'list_id' | 'variants' | 'ab_test'>;
  /** The segment's rules over the alias c; null for a list. */
  condition: Statement | null;
  /** Who came later is not among them. */
  startedAt: Date;
}

/** A bounced mailbox says nothing of SMS, and a consent to e-mail neither. */
function reachable({ campaign }: Audience): Statement {
  return rawSql(
    campaign.type === 'email'
      ? "c.status = 'subscribed' and c.email is not null"
      : "c.sms_consent = 'subscribed' and c.phone is not null",
  );
}

function people(audience: Audience, after: number): Statement {
  const { companyId, campaign, condition, startedAt } = audience;
  if (condition !== null) {
    return sql`
      select c.id from contacts c
      where c.company_id = ${companyId} and c.id > ${after} and ${reachable(audience)}
        and c.created_at <= ${startedAt} and ${condition}`;
  }
  return sql`
    select c.id from list_memberships m join contacts c on c.company_id = m.company_id and c.id = m.contact_id
    where m.company_id = ${unseen(companyId)} and m.list_id = ${campaign.list_id} and m.contact_id > ${after}
      and m.status = 'active' and m.created_at <= ${startedAt}
      and (${reachable(audience)}) is true`;
}

export async function countAudience(db: Queryable, audience: Audience): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`select count(*) as n from (${people(audience, 0)}) people`);
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

/** Looks at the next `limit` people behind the cursor. */
export async function findPeople(
  tx: Tx,
  audience: Audience,
  { after, limit }: { after: number; limit: number },
): Promise<People> {
  const next =
    audience.condition === null
      ? membersOf(audience, after, limit)
      : allOf(sql`${people(audience, after)} order by c.id limit ${limit}`);
  const rows = await tx.query<People>(next);
  return rows[0]!;
}

/**
 * When all else is written: contacts behind whom the writing was when one who was still to be written was merged into them. They
 * are of the audience now.
 */
export async function findMerged(tx: Tx, audience: Audience): Promise<People> {
  const { companyId, startedAt } = audience;
  const rows = await tx.query<People>(
    allOf(sql`
      select p.id from (${people(audience, 0)}) p
      -- As an array, so that the few are looked up. The moments are those of the requests, which may have waited.
      where p.id = any(array(
        select a.contact_id from contact_activity a
        where a.company_id = ${companyId} and a.type = 'merged' and a.created_at > ${startedAt}::timestamptz - interval '10 minutes'))`),
  );
  return rows[0]!;
}

/** Whoever was looked at belongs to the audience. */
function allOf(scanned: Statement): Statement {
  return sql`
    select count(*) as looked, max(s.id) as last, coalesce(json_agg(s.id order by s.id), '[]') as ids from (${scanned}) s`;
}

/**
 * Looked at are a list's members, whose contacts are looked up by an array: joined, a large list would be walked through
 * from its beginning for every part, and one look-up for each took a quarter of the time.
 */
function membersOf(audience: Audience, after: number, limit: number): Statement {
  const { companyId, campaign, startedAt } = audience;
  return sql`
    with scanned as materialized (
      select m.contact_id as id from list_memberships m
      where m.company_id = ${companyId} and m.list_id = ${campaign.list_id} and m.contact_id > ${after}
        and m.status = 'active' and m.created_at <= ${startedAt}
      order by m.contact_id limit ${limit}
    )
    select (select count(*) from scanned) as looked, (select max(id) from scanned) as last, (
      select coalesce(json_agg(c.id order by c.id), '[]') from contacts c
      where c.company_id = ${unseen(companyId)} and c.id = any(array(select id from scanned))
        and ${reachable(audience)}) as ids`;
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

/** Campaigns of all companies whose audience is not yet written as a whole. */
export function findUnwritten(db: Queryable): Promise<Place[]> {
  return db.query<Place>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status in ('sending', 'paused') and k.started_at is not null and k.recipients is null
    order by k.company_id, k.id`);
}

/** Campaigns of all companies that have nothing left on its way. */
export function findFinished(db: Queryable): Promise<Place[]> {
  return db.query<Place>(sql`
    select k.company_id, k.id from companies co join campaigns k using (company_id)
    where k.status = 'sending' and k.recipients is not null and not exists (
      select 1 from messages m where m.company_id = k.company_id and m.campaign_id = k.id
        and m.status = 'queued')
    order by k.company_id, k.id`);
}

/** True where it was still being sent and has nothing left. */
export async function markFinished(tx: Tx, companyId: number, id: number, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update campaigns k set status = 'sent', finished_at = ${now}, updated_at = ${now}
    where k.company_id = ${companyId} and k.id = ${id} and k.status = 'sending' and k.recipients is not null
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
      where m.company_id = ${companyId} and m.campaign_id = ${id} and m.status = 'queued' and ${FREE}
      limit ${limit} for update skip locked
    ),
    skipped as (
      update messages m set status = 'skipped', reason = 'campaign_cancelled', ended_at = ${now}
      from waiting where m.company_id = ${companyId} and m.id = waiting.id
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
