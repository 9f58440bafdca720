import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { HistoryRow } from '../history-queries.ts';
import { COLUMNS, ITEMS, type OrderWithItems } from '../queries.ts';

export function findOrdersAfter(
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

export function findHistoriesOf(
  db: Queryable,
  companyId: number,
  orderIds: number[],
): Promise<(Omit<HistoryRow, 'id' | 'actor'> & { order_id: number })[]> {
  return db.query(sql`
    select order_id, type, from_status as "from", to_status as "to", message, created_at from order_history
    where company_id = ${companyId} and order_id = any(${orderIds}::bigint[]) order by id`);
}
