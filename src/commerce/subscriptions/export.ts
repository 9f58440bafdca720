import type { Queryable } from '../../db/pool.ts';
import type { Shop } from '../shop.ts';
import type { Subscription } from './contract.ts';
import { findHistoriesOf, findSubscriptionsBehind } from './export-queries.ts';
import { subscriptionRecord } from './record.ts';

const PAGE = 100;

/** Subscriptions of the customer behind one of them, in the order of their ids, with what happened to them. */
export async function subscriptionsOfCustomer(
  db: Queryable,
  shop: Shop,
  customerId: number,
  after: number,
): Promise<(Subscription & { history: object[] })[]> {
  const rows = await findSubscriptionsBehind(db, shop.companyId, customerId, { after, limit: PAGE });
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
