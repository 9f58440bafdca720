import type { Tx } from '../../../db/pool.ts';
import { placeAt, type RemovalSlice, type Removed } from '../../../db/removal.ts';
import { sql } from '../../../db/sql.ts';

/**
 * Removes the hold-out groups of campaigns that have ended and started before `before`, or were deleted. The counts of their orders are
 * kept. Reads no row that is to be kept: campaigns with a hold-out group are found by one index probe each.
 */
export async function removeHeldOut(tx: Tx, { companyId, before, limit }: RemovalSlice): Promise<Removed> {
  const [slice] = await tx.query<{ removed: number }>(sql`
    with recursive found as (
      select min(campaign_id) as id from campaign_hold_outs where company_id = ${companyId}
      union all
      select (
        select min(h.campaign_id) from campaign_hold_outs h where h.company_id = ${companyId} and h.campaign_id > found.id)
      from found where id is not null
    ),
    over as materialized (
      select found.id from found left join campaigns k on k.company_id = ${companyId} and k.id = found.id
      where found.id is not null
        and (k.id is null or (k.status not in ('draft', 'scheduled', 'sending', 'paused') and k.started_at < ${before}))
    ),
    old as materialized (
      select h.campaign_id, h.contact_id from over cross join lateral (
        select campaign_id, contact_id from campaign_hold_outs
        where company_id = ${companyId} and campaign_id = over.id order by contact_id limit ${limit}
      ) h limit ${limit}
    ),
    gone as (
      delete from campaign_hold_outs h using old
      where h.company_id = ${companyId} and h.campaign_id = old.campaign_id and h.contact_id = old.contact_id
      returning 1
    )
    select count(*) as removed from gone`);
  const { removed } = slice!;
  // The rows found were deleted, so the next slice starts from the beginning again.
  return { removed, next: removed < limit ? null : placeAt(0) };
}
