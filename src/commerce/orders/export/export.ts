import type { Queryable } from '../../../db/pool.ts';
import type { Shop } from '../../shop.ts';
import { orderRecord } from '../record.ts';
import type { Order } from '../schemas.ts';
import { findHistoriesOf, findOrdersAfter } from './queries.ts';

const PAGE = 50;

/** Returns a page of the customer's orders with ids above `after`, with their histories, by id. */
export async function ordersOfCustomer(
  db: Queryable,
  shop: Shop,
  customerId: number,
  after: number,
): Promise<(Order & { history: object[] })[]> {
  const rows = await findOrdersAfter(db, shop.companyId, customerId, { after, limit: PAGE });
  const histories = await findHistoriesOf(
    db,
    shop.companyId,
    rows.map((row) => row.id),
  );
  const byOrder = Map.groupBy(histories, (entry) => entry.order_id);
  return rows.map((row) => {
    const history = (byOrder.get(row.id) ?? []).map(({ order_id: _, ...entry }) => entry);
    return { ...orderRecord(row, row.items, shop), history };
  });
}
