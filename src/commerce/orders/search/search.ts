import type { Db } from '../../../db/pool.ts';
import type { PageBounds } from '../../../lib/paging.ts';
import { findListed, type ListFilters, type OrderPage } from '../list-queries.ts';
import type { OrderWithItems } from '../queries.ts';
import { findCandidates, findLines, findOrders, type SearchOrder } from './queries.ts';
import type { OrderSearch } from './search-text.ts';

const PER_PAGE = 100;

/**
 * Returns a page of the orders that match a text: by number, external id and tracking number, by customer, by products. No search text is
 * stored with an order: it would make each order slower to place, and store personal data in one more place.
 */
export async function searchOrders(
  db: Db,
  companyId: number,
  search: OrderSearch,
  how: { filters: ListFilters; order: SearchOrder },
  { skip, take }: PageBounds,
): Promise<OrderPage> {
  const ids = await findIds(db, companyId, search, how);
  return { total: ids.length, rows: await findListed(db, companyId, ids.slice(skip, skip + take)) };
}

/** Yields all orders found, in pages; they are few enough to keep their ids in memory. */
export async function* walkFound(
  db: Db,
  companyId: number,
  search: OrderSearch,
  how: { filters: ListFilters; order: SearchOrder },
): AsyncGenerator<OrderWithItems[]> {
  const ids = await findIds(db, companyId, search, how);
  for (let start = 0; start < ids.length; start += PER_PAGE)
    yield findListed(db, companyId, ids.slice(start, start + PER_PAGE));
}

async function findIds(
  db: Db,
  companyId: number,
  search: OrderSearch,
  { filters, order }: { filters: ListFilters; order: SearchOrder },
): Promise<number[]> {
  // One customer's orders are few enough to scan the newest of them.
  const isWalked = search.isShort || filters.customerId !== null;
  const found = isWalked ? null : await findCandidates(db, companyId, search);
  const lines = found === null ? null : await findLines(db, companyId, found.products);
  return findOrders(db, companyId, search, { people: found?.people ?? null, lines }, { filters, order });
}
