import type { Tx } from '../../../db/pool.ts';
import { tryCount } from '../audience/snapshot.ts';
import type { CampaignRow } from '../queries.ts';

/** People must prove their identity before they send to more recipients than this. */
export const MANY = 10_000;

/** Called before a campaign to many recipients is scheduled or started; throws to refuse it. null: nothing to check. */
export type RefuseMany = (() => void) | null;

/** An audience that takes too long to count is taken to be large. */
export async function refuseManyRecipients(
  tx: Tx,
  companyId: number,
  row: CampaignRow,
  now: Date,
  refuseMany: RefuseMany,
): Promise<void> {
  if (refuseMany !== null && ((await tryCount(tx, companyId, row, now)) ?? Infinity) > MANY) refuseMany();
}
