import type { Tx } from '../../../db/pool.ts';
import { type Statement, sql } from '../../../db/sql.ts';

/** Keeps the draw independent of those of variants and A/B tests, whose seeds are the campaign's id and its negative. */
const SEED = 2 ** 50;

interface Drawn {
  id: number;
  holdout_percent: number;
}

/** Records the recipients that are held out. They are drawn by their ids, so that a repetition in any process draws the same. */
export async function insertHeldOut(
  tx: Tx,
  companyId: number,
  campaign: Drawn,
  contactIds: readonly number[],
): Promise<void> {
  await tx.query(sql`
    insert into campaign_hold_outs (company_id, campaign_id, contact_id)
    select ${companyId}, ${campaign.id}::bigint, a.id from unnest(${contactIds}::bigint[]) a (id)
    where (hashint8extended(a.id, ${campaign.id}::bigint + ${SEED}::bigint) & 2147483647) % 100 < ${campaign.holdout_percent}::int
    on conflict do nothing`);
}

/**
 * Whether the recipient (alias a, one of `ids`, which are in order) is not held out. Reads the stored draw instead of drawing again: a
 * contact that was held out may have been merged into one with a higher id. PostgreSQL hashes the subquery, whatever the statistics say.
 */
export function isNotHeldOut(companyId: number, campaignId: number, ids: readonly number[]): Statement {
  return sql`a.id not in (
    select h.contact_id from campaign_hold_outs h
    where h.company_id = ${companyId} and h.campaign_id = ${campaignId}
      and h.contact_id between ${ids[0]!} and ${ids.at(-1)!})`;
}

/**
 * Call it when all recipients are drawn. A contact into which another was merged meanwhile may be in both groups; one that has a
 * message is removed from the hold-out group. Returns how many are held out.
 */
export async function settleHeldOut(tx: Tx, companyId: number, campaignId: number, startedAt: Date): Promise<number> {
  await tx.query(sql`
    delete from campaign_hold_outs h
    where h.company_id = ${companyId} and h.campaign_id = ${campaignId}
      -- As findMergedRecipients looks for them.
      and h.contact_id = any(array(
        select a.contact_id from contact_activity a
        where a.company_id = ${companyId} and a.type = 'merged'
          and a.created_at > ${startedAt}::timestamptz - interval '10 minutes'))
      and exists (
        select from messages m
        where m.company_id = ${companyId} and m.contact_id = h.contact_id and (m.campaign_id = h.campaign_id) is true)`);
  const rows = await tx.query<{ n: number }>(sql`
    select count(*) as n from campaign_hold_outs where company_id = ${companyId} and campaign_id = ${campaignId}`);
  return rows[0]!.n;
}
