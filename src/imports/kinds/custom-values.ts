import { lockedContext } from '../../commerce/custom-fields/context.ts';
import { contextOf, type ValueContext } from '../../commerce/custom-fields/values.ts';
import type { Shop } from '../../commerce/shop.ts';
import type { Tx } from '../../db/pool.ts';

/** Returns what the custom values of a batch of records are checked against. A shop without custom fields sends no statement. */
export async function batchContext(
  tx: Tx,
  shop: Shop,
  given: readonly Readonly<Record<string, unknown>>[],
): Promise<ValueContext> {
  const isNeeded = shop.customFields.length > 0 || given.length > 0;
  return isNeeded ? lockedContext(tx, shop, given) : contextOf(shop, null);
}
