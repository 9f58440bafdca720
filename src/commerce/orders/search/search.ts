import type { Db } from '../../../db/pool.ts';
import type { PageBounds } from '../../../lib/paging.ts';
import { findListed, type OrderPage } from '../list-queries.ts';
import { findCandidates, findLines } from './candidate-queries.ts';
import { findOrders, type SearchFilters, type SearchOrder } from './search-queries.ts';
import type { OrderSearch } from './search-text.ts';

/**
 * A page of the orders that a text means: by number, external id and tracking number, by customer, by the products in them.
 * No text is kept with an order: what it would cost is paid by each order placed, and a person's data would lie in one place more.
 */
export async function searchOrders(
  db: Db,
  companyId: number,
  search: OrderSearch,
  { filters, order }: { filters: SearchFilters; order: SearchOrder },
  { skip, take }: PageBounds,
): Promise<OrderPage> {
  // The orders of one customer are few enough to look through the newest of them.
  const isWalked = search.isShort || filters.customerId !== null;
  const found = isWalked ? null : await findCandidates(db, companyId, search);
  const lines = found === null ? null : await findLines(db, companyId, found.products);
  const ids = await findOrders(db, companyId, search, { people: found?.people ?? null, lines }, { filters, order });
  return { total: ids.length, rows: await findListed(db, companyId, ids.slice(skip, skip + take)) };
}
