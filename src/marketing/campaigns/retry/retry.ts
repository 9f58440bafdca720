import type { Db, Tx } from '../../../db/pool.ts';
import { holdMerges } from '../../contacts/service.ts';
import { type CampaignRow, lockCampaign, updateCampaign } from '../queries.ts';
import * as queries from './queries.ts';

/** Messages looked at in one transaction: half a second of work, while merges of the company's contacts wait. */
const SLICE = 5_000;

/**
 * Begins to queue again what has failed of a campaign, which the caller has locked: the first slice of it; the worker goes on from
 * there. What fails anew meanwhile is left. Gives the campaign as it is now, and how many are queued.
 */
export async function beginRetry(
  tx: Tx,
  companyId: number,
  row: CampaignRow,
  includeUnknown: boolean,
  now: Date,
): Promise<{ row: CampaignRow; requeued: number }> {
  const statuses: ('failed' | 'unknown')[] = includeUnknown ? ['failed', 'unknown'] : ['failed'];
  await holdMerges(tx, companyId);
  const until = await queries.lastMessage(tx, companyId, row.id, statuses);
  return retrySlice(tx, companyId, { ...row, retry: { after: 0, until, statuses } }, now);
}

/** Messages and how far it got in one transaction: after a crash it goes on where it was. */
async function retrySlice(
  tx: Tx,
  companyId: number,
  row: CampaignRow,
  now: Date,
): Promise<{ row: CampaignRow; requeued: number }> {
  const { looked, last, n } = await queries.requeue(tx, companyId, row.id, row.retry!, { limit: SLICE, now });
  const retry = looked < SLICE || last === null ? null : { ...row.retry!, after: last };
  const isReopened = row.status === 'sent' && (n > 0 || retry !== null);
  const reopened: Partial<CampaignRow> = isReopened ? { status: 'sending', finished_at: null } : {};
  return { row: await updateCampaign(tx, companyId, { ...row, ...reopened, retry }, now), requeued: n };
}

/** The next slice; gives how many messages are queued, 1 at least where there may be more. */
export function continueRetry(db: Db, companyId: number, campaignId: number, now: Date): Promise<number> {
  return db.tenantTx(companyId, async (tx) => {
    const row = await lockCampaign(tx, companyId, campaignId);
    if (row === undefined || row.retry === null || (row.status !== 'sending' && row.status !== 'paused')) return 0;
    await holdMerges(tx, companyId);
    return Math.max(1, (await retrySlice(tx, companyId, row, now)).requeued);
  });
}
