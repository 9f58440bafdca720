import type { Queryable } from '../../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../../db/sql.ts';
import type { Promo } from '../../promotions/discount.ts';

export interface StockedProduct {
  id: number;
  name: string;
  price: number;
  tax_class: string | null;
  categories: string[];
  archived: boolean;
  subscription_enabled: boolean;
  stock_qty: number;
}

/** Locks by ascending id, so that batches do not deadlock. */
export async function lockStock(tx: Queryable, companyId: number, productIds: number[]): Promise<void> {
  await tx.query(sql`
    select 1 from product_stock
    where company_id = ${companyId} and product_id = any(${productIds}::bigint[]) order by product_id for update`);
}

/**
 * Returns the products with their stock. Placing reads them after `lockStock`, in a separate statement: a statement that both locks and
 * reads would see the products as they were before it waited. Every change of a product locks its stock first.
 */
export async function readStock(db: Queryable, companyId: number, productIds: number[]): Promise<StockedProduct[]> {
  return db.query<StockedProduct>(sql`
    select p.id, p.name, p.price, p.tax_class, p.categories, p.archived_at is not null as archived,
      p.subscription_enabled, s.stock_qty
    from product_stock s join products p on p.company_id = s.company_id and p.id = s.product_id
    where s.company_id = ${companyId} and s.product_id = any(${productIds}::bigint[])`);
}

export interface OrderingCustomer {
  id: number;
  email: string | null;
  first_name: string;
  last_name: string;
  phone: string | null;
  erased: boolean;
}

export async function findCustomers(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<OrderingCustomer[]> {
  return db.query<OrderingCustomer>(sql`
    select id, email, first_name, last_name, phone, erased_at is not null as erased
    from customers where company_id = ${companyId} and id = any(${customerIds}::bigint[])`);
}

type PromoRow = Promo & { id: number; code: string };

/** Returns the promo codes; with `lock`, their number of uses stays as read until COMMIT. `codes` in upper case. */
export async function readPromos(
  db: Queryable,
  companyId: number,
  codes: string[],
  lock: boolean,
): Promise<PromoRow[]> {
  const rows = await db.query<PromoRow>(sql`
    select id, code, type, value, scope, product_ids, category_slugs, min_subtotal, max_discount, starts_at, ends_at,
      usage_limit, per_customer_limit, first_order_only, active, used_count
    from promo_codes where company_id = ${companyId} and upper(code) = any(${codes}::text[]) and not is_template
    order by id ${lock ? rawSql('for update') : emptySql}`);
  return rows.map((row) => ({ ...row, product_ids: row.product_ids.map(Number) }));
}

/**
 * Serialises the orders of a customer that use codes for first orders, different codes too, so that the result of a later
 * `findOrderers` holds until COMMIT. `customerIds` ascending, `codes` in upper case.
 */
export async function lockFirstOrders(
  tx: Queryable,
  companyId: number,
  codes: string[],
  customerIds: number[],
): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended('first order ' || customer_id, ${companyId}))
    from unnest(${customerIds}::bigint[]) customer_id
    where exists (
      select 1 from promo_codes
      where company_id = ${companyId} and upper(code) = any(${codes}::text[]) and first_order_only)`);
}

/** Returns those of the customers who have an order that is not cancelled. */
export async function findOrderers(db: Queryable, companyId: number, customerIds: number[]): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>(sql`
    select id from unnest(${customerIds}::bigint[]) as c (id)
    where exists (
      select 1 from orders o where o.company_id = ${companyId} and o.customer_id = c.id and o.status <> 'cancelled')`);
  return new Set(rows.map((row) => row.id));
}

export interface CustomerUse {
  customer_id: number;
  promo_code_id: number;
  uses: number;
}

/** Returns the uses of codes that are limited per customer, by customer; `codes` in upper case. */
export async function countUses(
  db: Queryable,
  companyId: number,
  codes: string[],
  customerIds: number[],
): Promise<CustomerUse[]> {
  return db.query<CustomerUse>(sql`
    select o.customer_id, o.promo_code_id, count(*) as uses
    from promo_codes p join orders o on o.company_id = p.company_id and o.promo_code_id = p.id
    where p.company_id = ${companyId} and upper(p.code) = any(${codes}::text[]) and p.per_customer_limit is not null
      and o.customer_id = any(${customerIds}::bigint[]) and o.status <> 'cancelled'
    group by o.customer_id, o.promo_code_id`);
}

/** Returns points by customer; a customer without an account is absent. */
export async function readBalances(
  db: Queryable,
  companyId: number,
  customerIds: number[],
  lock: boolean,
): Promise<Map<number, number>> {
  const rows = await db.query<{ customer_id: number; points_balance: number }>(sql`
    select customer_id, points_balance from customer_accounts
    where company_id = ${companyId} and customer_id = any(${customerIds}::bigint[])
    order by customer_id ${lock ? rawSql('for update') : emptySql}`);
  return new Map(rows.map((row) => [row.customer_id, row.points_balance]));
}

/** Serialises orders with these external ids, in the order given, so that a later `findExternalIds` holds until COMMIT. */
export async function lockExternalIds(tx: Queryable, companyId: number, externalIds: string[]): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended('order ' || external_id, ${companyId}))
    from unnest(${externalIds}::text[]) external_id`);
}

export async function findExternalIds(db: Queryable, companyId: number, externalIds: string[]): Promise<Set<string>> {
  const rows = await db.query<{ external_id: string }>(sql`
    select external_id from orders where company_id = ${companyId} and external_id = any(${externalIds}::text[])`);
  return new Set(rows.map((row) => row.external_id));
}
