import type { Tx } from '../db/pool.ts';
import * as queries from './load-queries.ts';

/**
 * Brings the totals of contacts to the time up to which this installation has added up events. If no events were removed, they are counted
 * anew; otherwise the events between the two times are added or subtracted.
 */
export async function loadEventTotals(
  tx: Tx,
  companyId: number,
  addedUpTo: { of: string | null; here: string | null },
): Promise<void> {
  const of = addedUpTo.of ?? '-infinity';
  const here = addedUpTo.here ?? '-infinity';
  const [{ removed } = { removed: false }] = await tx.query<{ removed: boolean }>(queries.findRemoved(companyId));
  if (!removed) {
    await tx.query(queries.removeRows(companyId, 'event_totals'));
    await tx.query(queries.addEvents(companyId, '-infinity', here, 1));
    return;
  }
  // At least one of the two ranges is empty.
  await tx.query(queries.addEvents(companyId, of, here, 1));
  await tx.query(queries.addEvents(companyId, here, of, -1));
}
