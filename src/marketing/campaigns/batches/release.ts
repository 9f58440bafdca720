import type { Db } from '../../../db/pool.ts';
import { findCampaignForUpdate, updateCampaign } from '../queries.ts';
import { begun } from './plan.ts';
import { releaseMessages } from './queries.ts';

/** Messages per transaction. */
const SLICE = 5_000;

/**
 * Releases the next messages of the current batch, or the first of the next one if it is due. Messages and state are written in one
 * transaction, so that nothing is repeated after a crash. Returns how many messages were released.
 */
export function releaseBatch(db: Db, companyId: number, id: number, now: Date): Promise<number> {
  return db.tenantTx(companyId, async (tx) => {
    const row = await findCampaignForUpdate(tx, companyId, id);
    if (row?.status !== 'sending' || row.batches === null || row.recipients === null) return 0;
    const state = begun(row.batches, row.batching, row.recipients, now);
    if (state.left === 0) return 0;
    const limit = Math.min(state.left, SLICE);
    const n = await releaseMessages(tx, companyId, id, { limit, now });
    const left = n < limit ? 0 : state.left - n;
    await updateCampaign(tx, companyId, { ...row, batching: { ...state, left, released: state.released + n } }, now);
    return n;
  });
}
