import { hideFromPlanner } from '../../../db/planner-hints.ts';
import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';
import type { CampaignRow } from '../queries.ts';
import { needsSnapshot } from './composition.ts';

/** The recipients of a campaign: reachable contacts (alias c) of its list, its segment or its composed audience. */
export interface Audience {
  companyId: number;
  campaign: Pick<
    CampaignRow,
    | 'id'
    | 'type'
    | 'list_id'
    | 'segment_id'
    | 'audience'
    | 'variants'
    | 'ab_test'
    | 'holdout_percent'
    | 'first_zone_at'
    | 'batches'
  >;
  /** Contacts and memberships created later are not part of the audience. */
  startedAt: Date;
}

/** Recipients per statement that writes to the ledger, about 125 ms of work; also the number of ids in a row of a snapshot. */
export const PART = 10_000;

/**
 * Contacts (alias c) with an address and a consent for the campaign's channel; nothing else checks these for an audience.
 * An e-mail bounce or consent has no effect on SMS.
 */
export function isReachable({ campaign }: Audience): Statement {
  return rawSql(
    campaign.type === 'email'
      ? "c.status = 'subscribed' and c.email is not null"
      : "c.sms_consent = 'subscribed' and c.phone is not null",
  );
}

/** @param condition the segment's rules, on alias c */
function segmentRecipients(audience: Audience, condition: Statement): Statement {
  const { companyId, startedAt } = audience;
  return sql`
    select c.id from contacts c
    where c.company_id = ${companyId} and ${isReachable(audience)} and c.created_at <= ${startedAt} and ${condition}`;
}

function listRecipients(audience: Audience): Statement {
  const { companyId, campaign, startedAt } = audience;
  return sql`
    select c.id from list_memberships m join contacts c on c.company_id = m.company_id and c.id = m.contact_id
    where m.company_id = ${hideFromPlanner(companyId)} and m.list_id = ${campaign.list_id}
      and m.status = 'active' and m.created_at <= ${startedAt}
      and (${isReachable(audience)}) is true`;
}

/** @param condition the segment's rules; null for a list */
export function recipientsOf(audience: Audience, condition: Statement | null): Statement {
  return condition === null ? listRecipients(audience) : segmentRecipients(audience, condition);
}

/** @param recipients those of `recipientsOf` */
export async function countAudience(db: Queryable, recipients: Statement): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`select count(*) as n from (${recipients}) recipients`);
  return rows[0]!.n;
}

/** A part of the contacts that may belong to an audience, in the order of their ids. */
export interface RecipientPage {
  /** How many contacts were scanned. */
  looked: number;
  /** The highest id that was scanned; null if there was none. */
  last: number | null;
  /** Those that belong to the audience, in the order of their ids. */
  ids: number[];
}

/** Scans the next `limit` contacts after the cursor: the list's members, or those of the snapshot. */
export async function findNextRecipients(
  tx: Tx,
  audience: Audience,
  { after, limit }: { after: number; limit: number },
): Promise<RecipientPage> {
  const scanned = needsSnapshot(audience.campaign)
    ? snapshotBehind(audience, after, limit)
    : membersBehind(audience, after, limit);
  // Looked up by an array: this takes a quarter of the time of single look-ups, and a join would scan a large list from its
  // beginning for every part.
  const rows = await tx.query<RecipientPage>(sql`
    with scanned as materialized (${scanned})
    select (select count(*) from scanned) as looked, (select max(id) from scanned) as last, (
      select coalesce(json_agg(c.id order by c.id), '[]') from contacts c
      where c.company_id = ${hideFromPlanner(audience.companyId)} and c.id = any(array(select id from scanned))
        and ${isReachable(audience)}) as ids`);
  return rows[0]!;
}

function membersBehind({ companyId, campaign, startedAt }: Audience, after: number, limit: number): Statement {
  return sql`
    select m.contact_id as id from list_memberships m
    where m.company_id = ${companyId} and m.list_id = ${campaign.list_id} and m.contact_id > ${after}
      and m.status = 'active' and m.created_at <= ${startedAt}
    order by m.contact_id limit ${limit}`;
}

/** Some ids of the first row may be before the cursor, and are skipped. */
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
 * Finds contacts after the cursor into which a recipient before the cursor was merged meanwhile: they belong to the audience now.
 * Call it when all other messages are written.
 */
export async function findMergedRecipients(tx: Tx, audience: Audience): Promise<RecipientPage> {
  const { companyId, campaign, startedAt } = audience;
  // The time of an activity is that of its request, which may have waited.
  const merged = sql`
    select a.contact_id, (a.data ->> 'contact_id')::bigint as former_id from contact_activity a
    where a.company_id = ${companyId} and a.type = 'merged' and a.created_at > ${startedAt}::timestamptz - interval '10 minutes'`;
  const recipients = !needsSnapshot(campaign)
    ? // As an array, so that these few are looked up by key.
      sql`select p.id from (${listRecipients(audience)}) p where p.id = any(array(select contact_id from (${merged}) a))`
    : sql`
        select c.id from contacts c
        where c.company_id = ${companyId} and ${isReachable(audience)} and c.id = any(array(
          select a.contact_id from (${merged}) a, lateral (values (a.contact_id), (a.former_id)) of_it (id), lateral (
            select s.contact_ids from campaign_audiences s
            where s.company_id = ${companyId} and s.campaign_id = ${campaign.id} and s.last_id >= of_it.id
            order by s.last_id limit 1
          ) s
          where of_it.id = any(s.contact_ids)))`;
  const rows = await tx.query<RecipientPage>(sql`
    select count(*) as looked, max(s.id) as last, coalesce(json_agg(s.id order by s.id), '[]') as ids from (${recipients}) s`);
  return rows[0]!;
}
