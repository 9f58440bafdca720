import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Shop } from '../shop.ts';
import type { Order } from './contract.ts';
import { COLUMNS, type HistoryRow, ITEMS, type OrderWithItems } from './queries.ts';
import { orderRecord } from './record.ts';

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

function findOrdersAfter(
  db: Queryable,
  companyId: number,
  customerId: number,
  { after, limit }: { after: number; limit: number },
): Promise<OrderWithItems[]> {
  return db.query<OrderWithItems>(sql`
    select ${COLUMNS}, ${ITEMS} from orders o
    where o.company_id = ${companyId} and o.customer_id = ${customerId} and o.id > ${after}
    order by o.id limit ${limit}`);
}

function findHistoriesOf(
  db: Queryable,
  companyId: number,
  orderIds: number[],
): Promise<(Omit<HistoryRow, 'id' | 'actor'> & { order_id: number })[]> {
  return db.query(sql`
    select order_id, type, from_status as "from", to_status as "to", message, created_at from order_history
    where company_id = ${companyId} and order_id = any(${orderIds}::bigint[]) order by id`);
}
