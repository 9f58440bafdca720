import type { Tx } from '../../../db/pool.ts';
import { tryCount } from '../audience/snapshot.ts';
import type { CampaignRow } from '../queries.ts';

/** Sending to more recipients asks people for a proof of identity. */
export const MANY = 10_000;

/** Called, and may throw, before a campaign that goes to many is scheduled or started; null: there is nothing to ask. */
export type RefuseMany = (() => void) | null;

/** An audience that takes too long to count is large. */
export async function refuseManyRecipients(
  tx: Tx,
  companyId: number,
  row: CampaignRow,
  now: Date,
  refuseMany: RefuseMany,
): Promise<void> {
  if (refuseMany !== null && ((await tryCount(tx, companyId, row, now)) ?? Infinity) > MANY) refuseMany();
}
