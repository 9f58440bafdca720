import type { Tx } from '../../../db/pool.ts';
import { lockExternalIds } from '../placing/snapshot-queries.ts';
import * as queries from './queries.ts';

export type { ImportedLine, ImportedOrder } from './queries.ts';
export { findExternalIds } from './queries.ts';

/**
 * Stores past orders that were placed elsewhere. They take no stock, use no promo code and earn no points, and the marketing side is not
 * notified. Skips orders whose external id the shop already has. Returns the ids of the others.
 */
export async function writeImportedOrders(
  tx: Tx,
  companyId: number,
  orders: queries.ImportedOrder[],
  by: { actor: string; now: Date },
): Promise<number[]> {
  if (orders.length === 0) return [];
  const counts = new Map<number, number>();
  for (const { customer_id } of orders) counts.set(customer_id, (counts.get(customer_id) ?? 0) + 1);
  await queries.countOrders(tx, companyId, counts);
  return queries.insertOrders(tx, companyId, orders, by);
}

/** Returns which of the external ids orders have, and locks all of them until COMMIT. */
export async function lockKnownOrders(tx: Tx, companyId: number, externalIds: string[]): Promise<Set<string>> {
  await lockExternalIds(tx, companyId, [...externalIds].sort());
  return queries.findExternalIds(tx, companyId, externalIds);
}

/** Removes orders that an import created at `stamp` and that are unchanged. Returns the ids that are left. */
export async function removeImportedOrders(tx: Tx, companyId: number, ids: number[], stamp: Date): Promise<number[]> {
  await queries.lockOrders(tx, companyId, ids);
  const gone = new Set(await queries.deleteUntouched(tx, companyId, ids, stamp));
  return ids.filter((id) => !gone.has(id));
}
