import type { Queryable, Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../../db/sql.ts';
import type { Promo } from '../../promotions/discount.ts';
import type { ItemRow, OrderRow } from '../record.ts';

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

/** In the order of their ids, so that batches cannot lock each other out. */
export async function lockStock(tx: Queryable, companyId: number, productIds: number[]): Promise<void> {
  await tx.query(sql`
    select 1 from product_stock
    where company_id = ${companyId} and product_id = any(${productIds}::bigint[]) order by product_id for update`);
}

/**
 * The products with their stock. An order asks after `lockStock`, in a statement of its own: one that locks and reads sees
 * the products as they were before it began to wait. Whoever changes a product has locked its stock.
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

/** The codes' promos; with `lock`, so that their uses can be counted. `codes` in upper case. */
export async function readPromos(
  db: Queryable,
  companyId: number,
  codes: string[],
  lock: boolean,
): Promise<PromoRow[]> {
  const rows = await db.query<PromoRow>(sql`
    select id, code, type, value, scope, product_ids, category_slugs, min_subtotal, max_discount, starts_at, ends_at,
      usage_limit, per_customer_limit, first_order_only, active, used_count
    from promo_codes where company_id = ${companyId} and upper(code) = any(${codes}::text[])
    order by id ${lock ? rawSql('for update') : emptySql}`);
  return rows.map((row) => ({ ...row, product_ids: row.product_ids.map(Number) }));
}

/**
 * Makes orders of the same customer with codes for first orders wait for each other, also where the codes are different
 * ones, so that what `findOrderers` reads afterwards holds until COMMIT. `customerIds` ascending, `codes` in upper case.
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

/** Those of the customers who have an order that counts (not cancelled). */
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

/** How often each of these customers has used the codes that are limited per customer; `codes` in upper case. */
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

/** Points of the customers; who has none is absent. */
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

/**
 * Makes orders with these external ids wait for each other, in the order given, so that what `findExternalIds` reads
 * afterwards holds until COMMIT.
 */
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

/** Ids for `count` new orders, so that their answers can be rendered before they are written. */
export async function reserveOrderIds(db: Queryable, count: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select nextval('orders_id_seq') as id from generate_series(1, ${count}::int)`);
  return rows.map((row) => row.id);
}

export interface NewItem extends ItemRow {
  /** As they are while the order is placed: for those who are told of it, and not stored. */
  categories: readonly string[];
}

export interface NewOrder extends OrderRow {
  actor: string;
  items: NewItem[];
}

/** The orders, their lines, the movements of stock that they are and the beginning of their history. */
export function insertOrders(tx: Tx, companyId: number, orders: NewOrder[]): Promise<unknown>[] {
  const rows = orders.map(({ items, ...row }) => row);
  const lines = orders.flatMap((order) =>
    order.items.map((item, line) => ({
      order_id: order.id,
      line,
      product_id: item.product_id,
      product_name: item.product_name,
      qty: item.qty,
      price: item.price,
      subtotal: item.subtotal,
      discount: item.discount,
      tax: item.tax,
      actor: order.actor,
      created_at: order.created_at,
    })),
  );
  return [
    tx.query(sql`
      with placed as (
        select * from json_to_recordset(${JSON.stringify(rows)}::json) as o (
          id bigint, customer_id bigint, status text, subtotal bigint, discount bigint, tax bigint, shipping bigint,
          total bigint, promo_code_id bigint, promo_code text, points_redeemed bigint, shipping_address text,
          shipping_city text, shipping_state text, shipping_zip text, shipping_country text, shipping_method text,
          tax_lines jsonb, external_id text, metadata jsonb, subscription_id bigint, actor text, created_at timestamptz)
      ),
      written as (
        insert into orders (company_id, id, customer_id, status, subtotal, discount, tax, shipping, total, promo_code_id,
          promo_code, points_redeemed, shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country,
          shipping_method, tax_lines, external_id, metadata, subscription_id, created_at, updated_at)
        overriding system value
        select ${companyId}, id, customer_id, status, subtotal, discount, tax, shipping, total, promo_code_id, promo_code,
          points_redeemed, shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country,
          shipping_method, tax_lines, external_id, metadata, subscription_id, created_at, created_at
        from placed
      )
      insert into order_history (company_id, order_id, type, to_status, actor, created_at)
      select ${companyId}, id, 'created', status, actor, created_at from placed`),
    tx.query(sql`
      with lines as (
        select * from json_to_recordset(${JSON.stringify(lines)}::json) as l (
          order_id bigint, line smallint, product_id bigint, product_name text, qty int, price bigint, subtotal bigint,
          discount bigint, tax bigint, actor text, created_at timestamptz)
      ),
      written as (
        insert into order_items (company_id, order_id, line, product_id, product_name, qty, price, subtotal, discount, tax)
        select ${companyId}, order_id, line, product_id, product_name, qty, price, subtotal, discount, tax from lines
      )
      insert into stock_movements (company_id, product_id, kind, reference, delta, actor, created_at)
      select ${companyId}, product_id, 'order', order_id, -qty, actor, created_at from lines`),
  ];
}

/** Takes stock away; the rows are locked, and what is taken was found to be there. */
export async function takeStock(tx: Tx, companyId: number, taken: ReadonlyMap<number, number>): Promise<void> {
  await tx.query(sql`
    update product_stock s set stock_qty = s.stock_qty - t.qty
    from unnest(${[...taken.keys()]}::bigint[], ${[...taken.values()]}::int[]) as t (product_id, qty)
    where s.company_id = ${companyId} and s.product_id = t.product_id`);
}

export async function usePromos(tx: Tx, companyId: number, uses: ReadonlyMap<number, number>): Promise<void> {
  await tx.query(sql`
    update promo_codes p set used_count = p.used_count + t.uses
    from unnest(${[...uses.keys()]}::bigint[], ${[...uses.values()]}::int[]) as t (id, uses)
    where p.company_id = ${companyId} and p.id = t.id`);
}
