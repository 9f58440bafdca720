import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { CustomValue } from '../custom-fields/definition.ts';
import type { ShopSettings } from '../shop.ts';

export interface CustomFieldsRow {
  customer_id: number;
  custom: Record<string, CustomValue>;
}

export async function findCustomFields(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<CustomFieldsRow[]> {
  return db.query<CustomFieldsRow>(sql`
    select id as customer_id, custom from customers
    where company_id = ${companyId} and id = any(${customerIds}::bigint[]) and erased_at is null`);
}

export interface PointsRow {
  customer_id: number;
  points: number;
  exponent: number;
  loyalty: ShopSettings['loyalty'] | null;
}

/** Returns the points of customers, with the company's program. */
export async function findPoints(db: Queryable, companyId: number, customerIds: number[]): Promise<PointsRow[]> {
  return db.query<PointsRow>(sql`
    select k.id as customer_id, coalesce(a.points_balance, 0) as points, c.currency_exponent as exponent,
      c.settings->'loyalty' as loyalty
    from customers k
    join companies c on c.company_id = k.company_id
    left join customer_accounts a on a.company_id = k.company_id and a.customer_id = k.id
    where k.company_id = ${companyId} and k.id = any(${customerIds}::bigint[]) and k.erased_at is null`);
}

export interface NextSubscriptionRow {
  customer_id: number;
  id: number;
  next_date: string;
  frequency_name: string;
  product_id: number;
  product_name: string;
  quantity: number;
  price: number;
  exponent: number;
}

/** Returns each customer's active subscription that is renewed next. */
export async function findNextSubscriptions(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<NextSubscriptionRow[]> {
  return db.query<NextSubscriptionRow>(sql`
    select s.customer_id, s.id, s.next_billing_date::text as next_date, f.name as frequency_name, s.product_id,
      p.name as product_name, s.quantity, s.price, c.currency_exponent as exponent
    from (
      select distinct on (customer_id) * from subscriptions
      where company_id = ${companyId} and customer_id = any(${customerIds}::bigint[]) and status = 'active'
        and next_billing_date is not null
      order by customer_id, next_billing_date, id
    ) s
    join companies c on c.company_id = s.company_id
    join subscription_frequencies f on f.company_id = s.company_id and f.id = s.frequency_id
    join products p on p.company_id = s.company_id and p.id = s.product_id`);
}
