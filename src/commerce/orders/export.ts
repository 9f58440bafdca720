import type { Queryable } from '../../db/pool.ts';
import type { Shop } from '../shop.ts';
import type { Order } from './contract.ts';
import { findHistoriesOf, findOrdersBehind } from './export-queries.ts';
import { orderRecord } from './record.ts';

const PAGE = 50;

/** Orders of the customer behind one of them, in the order of their ids, with what happened to them. */
export async function ordersOfCustomer(
  db: Queryable,
  shop: Shop,
  customerId: number,
  after: number,
): Promise<(Order & { history: object[] })[]> {
  const rows = await findOrdersBehind(db, shop.companyId, customerId, { after, limit: PAGE });
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
