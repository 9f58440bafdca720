import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { lockMerges } from '../../../recipients/merge-lock.ts';
import type { CampaignDeps } from '../campaign-deps.ts';
import { type CampaignRow, findCampaignForUpdate, updateCampaign } from '../queries.ts';
import { requireSendable } from '../readiness/sendable.ts';
import { countsOf } from '../report/counts.ts';
import { findCounts } from '../report/queries.ts';
import { lockCampaign, requireAction } from '../require.ts';
import * as queries from './queries.ts';

/** Messages per transaction: half a second of work, during which the company's contacts cannot be merged. */
const SLICE = 5_000;

/**
 * Queues failed messages again, and with `includeUnknown` also unknown ones: the first slice at once, the rest in the
 * background. Throws not_found, bad_request.
 */
export async function retryCampaign(
  { db, missingFor }: Pick<CampaignDeps, 'db' | 'missingFor'>,
  caller: Caller,
  id: number,
  includeUnknown: boolean,
) {
  const { companyId, now } = caller;
  const missing = await missingFor(companyId);
  return write(db, caller, async (tx) => {
    const locked = await lockCampaign(tx, companyId, id);
    requireAction('retry', locked);
    await requireSendable(tx, companyId, locked, missing);
    const { row, requeued } = await beginRetry(tx, companyId, locked, includeUnknown, now);
    const counts = row.retry === null ? null : countsOf(await findCounts(tx, companyId, [id]), id, 0);
    const remaining = counts === null ? 0 : counts.failed + (includeUnknown ? counts.unknown : 0);
    return { campaign_id: id, status: row.status, requeued, remaining };
  });
}

/**
 * Queues the first slice again; the caller has locked the campaign. Messages that fail after this moment are not part of
 * the retry. Returns the campaign's new row, and how many messages were queued.
 */
async function beginRetry(
  tx: Tx,
  companyId: number,
  row: CampaignRow,
  includeUnknown: boolean,
  now: Date,
): Promise<{ row: CampaignRow; requeued: number }> {
  const statuses: ('failed' | 'unknown')[] = includeUnknown ? ['failed', 'unknown'] : ['failed'];
  await lockMerges(tx, companyId);
  const until = await queries.lastMessage(tx, companyId, row.id, statuses);
  return retrySlice(tx, companyId, { ...row, retry: { after: 0, until, statuses } }, now);
}

/** Writes the messages and the position in one transaction, so that nothing is repeated after a crash. */
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

/** Queues the next slice, for the worker. Returns the number of queued messages, at least 1 while there may be more. */
export function continueRetry(db: Db, companyId: number, campaignId: number, now: Date): Promise<number> {
  return db.tenantTx(companyId, async (tx) => {
    const row = await findCampaignForUpdate(tx, companyId, campaignId);
    if (row === undefined || row.retry === null || (row.status !== 'sending' && row.status !== 'paused')) return 0;
    await lockMerges(tx, companyId);
    return Math.max(1, (await retrySlice(tx, companyId, row, now)).requeued);
  });
}
