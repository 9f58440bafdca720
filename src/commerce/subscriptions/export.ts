import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Shop } from '../shop.ts';
import type { Subscription } from './contract.ts';
import { COLUMNS, FREQUENCY, type SubscriptionRow } from './queries.ts';
import { subscriptionRecord } from './record.ts';

const PAGE = 100;

/** Returns a page of the customer's subscriptions with ids above `after`, with their histories, by id. */
export async function subscriptionsOfCustomer(
  db: Queryable,
  shop: Shop,
  customerId: number,
  after: number,
): Promise<(Subscription & { history: object[] })[]> {
  const rows = await findSubscriptionsAfter(db, shop.companyId, customerId, { after, limit: PAGE });
  const histories = await findHistoriesOf(
    db,
    shop.companyId,
    rows.map((row) => row.id),
  );
  const byId = Map.groupBy(histories, (entry) => entry.subscription_id);
  return rows.map((row) => {
    const history = (byId.get(row.id) ?? []).map(({ subscription_id: _, ...entry }) => entry);
    return { ...subscriptionRecord(row, shop), history };
  });
}

function findSubscriptionsAfter(
  db: Queryable,
  companyId: number,
  customerId: number,
  { after, limit }: { after: number; limit: number },
): Promise<SubscriptionRow[]> {
  return db.query<SubscriptionRow>(sql`
    select ${COLUMNS} from subscriptions s ${FREQUENCY}
    where s.company_id = ${companyId} and s.customer_id = ${customerId} and s.id > ${after}
    order by s.id limit ${limit}`);
}

function findHistoriesOf(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<{ subscription_id: number; type: string; message: string | null; created_at: Date }[]> {
  return db.query(sql`
    select subscription_id, type, message, created_at from subscription_history
    where company_id = ${companyId} and subscription_id = any(${ids}::bigint[]) order by id`);
}
