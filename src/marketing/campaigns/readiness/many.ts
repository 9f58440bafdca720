import type { RequireConfirmed } from '../../../access/sessions.ts';
import type { Tx } from '../../../db/pool.ts';
import { tryCount } from '../audience/snapshot.ts';
import type { CampaignRow } from '../queries.ts';

/** People must prove their identity before they send to more recipients than this. */
export const MANY = 10_000;

/** An audience that takes too long to count is taken to be large. */
export async function refuseManyRecipients(
  tx: Tx,
  companyId: number,
  row: CampaignRow,
  now: Date,
  requireConfirmed: RequireConfirmed,
): Promise<void> {
  if (requireConfirmed !== null && ((await tryCount(tx, companyId, row, now)) ?? Infinity) > MANY) requireConfirmed();
}
