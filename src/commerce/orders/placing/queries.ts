import type { Queryable, Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import { lockCarts } from '../../carts/queries.ts';
import { readDefinitions } from '../../custom-fields/context.ts';
import { readLevels } from '../../inventory/levels.ts';
import { ACTIVE_VARIANTS, NOT_SOLD } from '../../products/variants/conditions.ts';
import type { Promo } from '../../promotions/discount.ts';
import type { NewOrder } from './decide.ts';
import { hasValues, type OrderRequest } from './request.ts';
import type { CustomerUse, OrderingCustomer, PlacementSnapshot, StockedProduct } from './snapshot.ts';

/**
 * Reads the snapshot in one round trip. With `lock` (inside a transaction) it locks carts, external ids, promo codes, first orders,
 * stock and accounts, in the order of ARCHITECTURE.md; without, it is a preview. `levels`: whether the shop has several locations.
 */
export async function readSnapshot(
  db: Queryable,
  companyId: number,
  requests: readonly OrderRequest[],
  { lock, levels: hasLevels }: { lock: boolean; levels: boolean },
): Promise<PlacementSnapshot> {
  const productIds = unique(requests.flatMap((request) => request.items.map((item) => item.product_id)));
  const customerIds = unique(requests.map((request) => request.customerId));
  const redeemers = unique(requests.filter((request) => request.redeemPoints > 0).map((r) => r.customerId));
  const codes = unique(requests.flatMap((request) => request.promoCode?.toUpperCase() ?? []));
  const couponed = unique(requests.filter((request) => request.promoCode !== null).map((r) => r.customerId));
  const externalIds = unique(requests.flatMap((request) => request.externalId ?? [])).sort();
  const custom = requests.filter(hasValues).map((request) => request.custom!);
  const cartIds = requests.flatMap((request) => request.cart?.id ?? []);
  // Sent in this order on one connection: each read follows the lock that protects it.
  const [definitions, carts, , promos, , , balances, stock, levels, orderers, uses, customers, takenExternalIds, ids] =
    await Promise.all([
      custom.length > 0 ? readDefinitions(db, companyId, custom) : null,
      lock && cartIds.length > 0 ? lockCarts(db, companyId, cartIds) : [],
      lock && externalIds.length > 0 ? lockExternalIds(db, companyId, externalIds) : undefined,
      codes.length > 0 ? readPromos(db, companyId, codes, productIds, lock) : [],
      lock && codes.length > 0 ? lockFirstOrders(db, companyId, codes, couponed.sort(ascending)) : undefined,
      lock ? lockStock(db, companyId, productIds) : undefined,
      redeemers.length > 0 ? readBalances(db, companyId, redeemers, lock) : new Map<number, number>(),
      readStock(db, companyId, productIds),
      hasLevels ? readLevels(db, companyId, productIds) : [],
      codes.length > 0 ? findOrderers(db, companyId, customerIds) : new Set<number>(),
      codes.length > 0 ? countUses(db, companyId, codes, customerIds) : [],
      findCustomers(db, companyId, customerIds),
      externalIds.length > 0 ? findExternalIds(db, companyId, externalIds) : new Set<string>(),
      lock ? reserveIds(db, requests) : { orders: [], lines: [] },
    ]);
  return {
    definitions,
    products: new Map(stock.map((product) => [product.id, product])),
    customers: new Map(customers.map((customer) => [customer.id, customer])),
    promos: new Map(promos.map((promo) => [promo.code.toUpperCase(), promo])),
    orderers,
    uses,
    levels,
    balances,
    takenExternalIds,
    carts: new Map(carts.map((cart) => [cart.id, cart])),
    orderIds: ids.orders,
    lineIds: ids.lines,
  };
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}

function ascending(a: number, b: number): number {
  return a - b;
}

/** Locks by ascending id, so that batches do not deadlock. */
async function lockStock(tx: Queryable, companyId: number, productIds: number[]): Promise<void> {
  await tx.query(sql`
    select 1 from product_stock
    where company_id = ${companyId} and product_id = any(${productIds}::bigint[]) order by product_id for update`);
}

/**
 * Returns the products with their stock. Placing reads them after `lockStock`, in a separate statement: a statement that both locks and
 * reads would see the products as they were before it waited. Every change of a product locks its stock first.
 */
async function readStock(db: Queryable, companyId: number, productIds: number[]): Promise<StockedProduct[]> {
  return db.query<StockedProduct>(sql`
    select p.id, p.name, p.sku, p.price, p.tax_class, p.requires_shipping, p.categories, p.subscription_enabled, p.track_stock,
      p.low_stock_at, s.stock_qty, p.variant_of, p.title, p.options, ${ACTIVE_VARIANTS} as variants, ${NOT_SOLD} as archived
    from product_stock s join products p on p.company_id = s.company_id and p.id = s.product_id
    where s.company_id = ${companyId} and s.product_id = any(${productIds}::bigint[])`);
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
async function readPromos(
  db: Queryable,
  companyId: number,
  codes: string[],
  productIds: number[],
  lock: boolean,
): Promise<PromoRow[]> {
  const rows = await db.query<PromoRow>(sql`
    select id, code, type, value, scope, product_ids, category_slugs, ${coveredBy(companyId, productIds)} as covered_ids, min_subtotal, max_discount, starts_at, ends_at,
      usage_limit, per_customer_limit, first_order_only, active, used_count
    from promo_codes where company_id = ${companyId} and upper(code) = any(${codes}::text[]) and not is_template
    order by id ${lock ? rawSql('for update') : emptySql}`);
  return rows.map((row) => ({
    ...row,
    product_ids: row.product_ids.map(Number),
    covered_ids: row.covered_ids.map(Number),
  }));
}

/** Those of the products that are, or whose parents are, in the collections of a promo code. */
function coveredBy(companyId: number, productIds: number[]): Statement {
  return sql`case when scope = 'collections' then array(
    select p.id from products p
    where p.company_id = ${companyId} and p.id = any(${productIds}::bigint[]) and exists (
      select from collection_products m
      where m.company_id = ${companyId} and m.product_id = coalesce(p.variant_of, p.id)
        and m.collection_id = any(promo_codes.collection_ids))) else '{}' end`;
}

/**
 * Serialises the orders of a customer that use codes for first orders, different codes too, so that the result of a later
 * `findOrderers` holds until COMMIT. `customerIds` ascending, `codes` in upper case.
 */
async function lockFirstOrders(
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
async function findOrderers(db: Queryable, companyId: number, customerIds: number[]): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>(sql`
    select id from unnest(${customerIds}::bigint[]) as c (id)
    where exists (
      select 1 from orders o where o.company_id = ${companyId} and o.customer_id = c.id and o.status <> 'cancelled')`);
  return new Set(rows.map((row) => row.id));
}

/** Returns the uses of codes that are limited per customer, by customer; `codes` in upper case. */
async function countUses(
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
async function readBalances(
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

/** Reserves ids for new orders and their lines, so that responses can be rendered before the orders are written. */
async function reserveIds(db: Queryable, requests: readonly OrderRequest[]) {
  // At most: a product given twice is one line, and some requests fail.
  const lines = requests.reduce((sum, request) => sum + request.items.length, 0);
  const rows = await db.query<{ id: number; is_line: boolean }>(sql`
    select nextval('orders_id_seq') as id, false as is_line from generate_series(1, ${requests.length}::int)
    union all
    select nextval('order_items_id_seq'), true from generate_series(1, ${lines}::int)`);
  const idsOf = (isLine: boolean) => rows.filter((row) => row.is_line === isLine).map((row) => row.id);
  return { orders: idsOf(false), lines: idsOf(true) };
}

/** Inserts the orders, their lines and the first entry of their history. */
export function insertOrders(tx: Tx, companyId: number, orders: NewOrder[]): Promise<unknown>[] {
  const rows = orders.map(({ items, correlation, allocations, frozen, note, ...row }) => row);
  const lines = orders.flatMap((order) =>
    order.items.map((item, line) => ({
      id: item.id,
      order_id: order.id,
      line,
      product_id: item.product_id,
      product_name: item.product_name,
      qty: item.qty,
      price: item.price,
      subtotal: item.subtotal,
      discount: item.discount,
      tax: item.tax,
      sku: item.sku,
      tax_class: item.tax_class,
      categories: item.categories,
      tracked: item.tracked,
      parent_id: item.parent_id,
      title: item.title,
      options: item.options,
    })),
  );
  return [
    tx.query(sql`
      with placed as (
        select * from json_to_recordset(${JSON.stringify(rows)}::json) as o (
          id bigint, customer_id bigint, status text, subtotal bigint, discount bigint, tax bigint, shipping bigint,
          total bigint, promo_code_id bigint, promo_code text, points_redeemed bigint, shipping_address text,
          shipping_city text, shipping_state text, shipping_zip text, shipping_country text, shipping_method text,
          tax_lines jsonb, external_id text, metadata jsonb, custom jsonb, subscription_id bigint, location_id bigint, cart_id bigint,
          origin text, guest boolean, billing jsonb, actor text, created_at timestamptz)
      ),
      written as (
        insert into orders (company_id, id, customer_id, status, subtotal, discount, tax, shipping, total, promo_code_id,
          promo_code, points_redeemed, shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country,
          shipping_method, tax_lines, external_id, metadata, custom, subscription_id, location_id, cart_id, origin, guest,
          billing, created_at, updated_at)
        overriding system value
        select ${companyId}, id, customer_id, status, subtotal, discount, tax, shipping, total, promo_code_id, promo_code,
          points_redeemed, shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country,
          shipping_method, tax_lines, external_id, metadata, custom, subscription_id, location_id, cart_id, origin, guest, billing,
          created_at, created_at
        from placed
      )
      insert into order_history (company_id, order_id, type, to_status, actor, created_at)
      select ${companyId}, id, 'created', status, actor, created_at from placed`),
    tx.query(sql`
      insert into order_items (company_id, id, order_id, line, product_id, product_name, qty, price, subtotal, discount, tax,
        sku, tax_class, categories, tracked, parent_id, title, options)
      overriding system value
      select ${companyId}, id, order_id, line, product_id, product_name, qty, price, subtotal, discount, tax, sku, tax_class,
        categories, tracked, parent_id, title, options
      from json_to_recordset(${JSON.stringify(lines)}::json) as l (
        id bigint, order_id bigint, line smallint, product_id bigint, product_name text, qty int, price bigint,
        subtotal bigint, discount bigint, tax bigint, sku text, tax_class text, categories text[],
        tracked boolean, parent_id bigint, title text, options jsonb)`),
  ];
}

export async function usePromos(tx: Tx, companyId: number, uses: ReadonlyMap<number, number>): Promise<void> {
  await tx.query(sql`
    update promo_codes p set used_count = p.used_count + t.uses
    from unnest(${[...uses.keys()]}::bigint[], ${[...uses.values()]}::int[]) as t (id, uses)
    where p.company_id = ${companyId} and p.id = t.id`);
}

/** Locks the stock of the products that no other transaction locks; returns the other products. */
export async function lockAvailableStock(db: Queryable, companyId: number, productIds: number[]): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    with free as materialized (
      select product_id from product_stock
      where company_id = ${companyId} and product_id = any(${productIds}::bigint[]) order by product_id
      for update skip locked
    )
    select product_id as id from product_stock
    where company_id = ${companyId} and product_id = any(${productIds}::bigint[])
      and product_id not in (select product_id from free)`);
  return rows.map((row) => row.id);
}

/** Locks the promo codes (in upper case) that no other transaction locks; returns the others. */
export async function lockAvailablePromos(db: Queryable, companyId: number, codes: string[]): Promise<string[]> {
  const rows = await db.query<{ code: string }>(sql`
    with free as materialized (
      select id from promo_codes
      where company_id = ${companyId} and upper(code) = any(${codes}::text[]) order by id for update skip locked
    )
    select upper(code) as code from promo_codes
    where company_id = ${companyId} and upper(code) = any(${codes}::text[]) and id not in (select id from free)`);
  return rows.map((row) => row.code);
}

/** Locks the accounts of the customers that no other transaction locks; returns the other customers. */
export async function lockAvailableAccounts(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    with free as materialized (
      select customer_id from customer_accounts
      where company_id = ${companyId} and customer_id = any(${customerIds}::bigint[]) order by customer_id
      for update skip locked
    )
    select customer_id as id from customer_accounts
    where company_id = ${companyId} and customer_id = any(${customerIds}::bigint[])
      and customer_id not in (select customer_id from free)`);
  return rows.map((row) => row.id);
}

/** Like `lockFirstOrders`, but without waiting; returns the customers whose lock another transaction has. */
export async function lockAvailableFirstOrders(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select customer_id as id from unnest(${customerIds}::bigint[]) customer_id
    where not pg_try_advisory_xact_lock(hashtextextended('first order ' || customer_id, ${companyId}))`);
  return rows.map((row) => row.id);
}

/** Like `lockExternalIds`, but without waiting; returns the ids whose lock another transaction has. */
export async function lockAvailableExternalIds(
  db: Queryable,
  companyId: number,
  externalIds: string[],
): Promise<string[]> {
  const rows = await db.query<{ external_id: string }>(sql`
    select external_id from unnest(${externalIds}::text[]) external_id
    where not pg_try_advisory_xact_lock(hashtextextended('order ' || external_id, ${companyId}))`);
  return rows.map((row) => row.external_id);
}
