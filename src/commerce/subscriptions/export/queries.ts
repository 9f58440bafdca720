import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { COLUMNS, FREQUENCY, type SubscriptionRow } from '../queries.ts';

export function findSubscriptionsAfter(
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

export function findHistoriesOf(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<{ subscription_id: number; type: string; message: string | null; created_at: Date }[]> {
  return db.query(sql`
    select subscription_id, type, message, created_at from subscription_history
    where company_id = ${companyId} and subscription_id = any(${ids}::bigint[]) order by id`);
}
