import type { Queryable } from '../../../db/pool.ts';
import type { Shop } from '../../shop.ts';
import { subscriptionRecord } from '../record.ts';
import type { Subscription } from '../schemas.ts';
import { findHistoriesOf, findSubscriptionsAfter } from './queries.ts';

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
