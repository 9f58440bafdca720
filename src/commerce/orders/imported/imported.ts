import type { Tx } from '../../../db/pool.ts';
import { lockExternalIds } from '../placing/snapshot-queries.ts';
import * as queries from './queries.ts';

export type { ImportedLine, ImportedOrder } from './queries.ts';
export { findExternalIds } from './queries.ts';

/**
 * Stores orders that were placed elsewhere: history. No stock is taken, no promo code used, no points earned, and the marketing
 * side hears of none. Orders whose external id the shop has are left out. Returns the ids of the others.
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

/** Those of the external ids that orders have, now and until COMMIT. */
export async function lockKnownOrders(tx: Tx, companyId: number, externalIds: string[]): Promise<Set<string>> {
  await lockExternalIds(tx, companyId, [...externalIds].sort());
  return queries.findExternalIds(tx, companyId, externalIds);
}

/** Removes orders that an import created at `stamp` and nobody changed. Returns the ids that are left. */
export async function removeImportedOrders(tx: Tx, companyId: number, ids: number[], stamp: Date): Promise<number[]> {
  await queries.lockOrders(tx, companyId, ids);
  const gone = new Set(await queries.deleteUntouched(tx, companyId, ids, stamp));
  return ids.filter((id) => !gone.has(id));
}
