import type { Db } from '../../../db/pool.ts';
import { findCampaignForUpdate, updateCampaign } from '../queries.ts';
import { countsOf } from '../report/counts.ts';
import { findCounts } from '../report/queries.ts';
import { winnerOf } from './variants.ts';

/** Stores the winner of an A/B test; the messages that wait for it are updated later. Returns 1, or 0 if there is nothing to choose. */
export function chooseWinner(db: Db, companyId: number, id: number, now: Date): Promise<number> {
  return db.tenantTx(companyId, async (tx) => {
    const row = await findCampaignForUpdate(tx, companyId, id);
    if (row?.status !== 'sending' || row.ab_test === null || row.winner !== null) return 0;
    const counts = await findCounts(tx, companyId, [id]);
    // The exponent of the currency does not matter: revenues are only compared with each other.
    const winner = winnerOf(row.variants, row.ab_test.metric, (key) => countsOf(counts, id, 0, key));
    await updateCampaign(tx, companyId, { ...row, winner }, now);
    return 1;
  });
}
