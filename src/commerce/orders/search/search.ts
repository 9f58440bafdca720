import type { Db } from '../../../db/pool.ts';
import type { PageBounds } from '../../../lib/paging.ts';
import { findListed, type OrderPage } from '../list-queries.ts';
import type { OrderWithItems } from '../queries.ts';
import { findCandidates, findLines } from './candidate-queries.ts';
import { findOrders, type SearchFilters, type SearchOrder } from './search-queries.ts';
import type { OrderSearch } from './search-text.ts';

const PER_PAGE = 100;

/**
 * A page of the orders that a text means: by number, external id and tracking number, by customer, by the products in them.
 * No text is kept with an order: what it would cost is paid by each order placed, and a person's data would lie in one place more.
 */
export async function searchOrders(
  db: Db,
  companyId: number,
  search: OrderSearch,
  how: { filters: SearchFilters; order: SearchOrder },
  { skip, take }: PageBounds,
): Promise<OrderPage> {
  const ids = await findIds(db, companyId, search, how);
  return { total: ids.length, rows: await findListed(db, companyId, ids.slice(skip, skip + take)) };
}

/** All that are found, which are few enough to hold their ids, in pages. */
export async function* walkFound(
  db: Db,
  companyId: number,
  search: OrderSearch,
  how: { filters: SearchFilters; order: SearchOrder },
): AsyncGenerator<OrderWithItems[]> {
  const ids = await findIds(db, companyId, search, how);
  for (let start = 0; start < ids.length; start += PER_PAGE)
    yield findListed(db, companyId, ids.slice(start, start + PER_PAGE));
}

async function findIds(
  db: Db,
  companyId: number,
  search: OrderSearch,
  { filters, order }: { filters: SearchFilters; order: SearchOrder },
): Promise<number[]> {
  // The orders of one customer are few enough to look through the newest of them.
  const isWalked = search.isShort || filters.customerId !== null;
  const found = isWalked ? null : await findCandidates(db, companyId, search);
  const lines = found === null ? null : await findLines(db, companyId, found.products);
  return findOrders(db, companyId, search, { people: found?.people ?? null, lines }, { filters, order });
}
