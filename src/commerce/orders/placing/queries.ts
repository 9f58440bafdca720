import type { Queryable, Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import { holdCustomers, lockCarts } from '../../carts/queries.ts';
import { readDefinitions } from '../../custom-fields/context.ts';
import { readLevels } from '../../inventory/levels.ts';
import { findHeldItems } from '../../inventory/reservations.ts';
import { findCancelling } from '../../payments/operations/queries.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { findPaymentsOfCarts, lockPayments } from '../../payments/queries.ts';
import { ACTIVE_VARIANTS, NOT_SOLD } from '../../products/variants/conditions.ts';
import type { Promo } from '../../promotions/discount.ts';
import { lockRenewed, type RenewedSubscription } from '../../subscriptions/renewal/placed.ts';
import type { NewOrder } from './decide.ts';
import { cyclesOf, hasValues, type OrderRequest, payersOf } from './request.ts';
import {
  type BuyerUse,
  buyerOf,
  type OrderingCustomer,
  type PlacementSnapshot,
  type StockedProduct,
} from './snapshot.ts';

/**
 * Reads the snapshot in one round trip. With `lock` (inside a transaction) it locks carts, payments, subscriptions, external ids, promo codes, first orders,
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
  const couponed = unique(requests.filter((request) => request.promoCode !== null).map(buyerOf));
  const externalIds = unique(requests.flatMap((request) => request.externalId ?? [])).sort();
  const custom = requests.filter(hasValues).map((request) => request.custom!);
  const cartIds = requests.flatMap((request) => request.cart?.id ?? []);
  const paid = requests.flatMap(({ cart }) => cart?.paid?.paymentId ?? []);
  const refused = requests.flatMap(({ cart }) => {
    const ending = cart?.paid?.ending ?? null;
    return ending?.state === 'declined' ? [ending.id] : [];
  });
  const payers = payersOf(requests);
  const cycles = cyclesOf(requests);
  const reserved = requests.flatMap(({ cart }) => (cart !== null && cart.reserved !== null ? [cart.id] : []));
  // Sent in this order on one connection: each read follows the lock that protects it.
  const [
    definitions,
    ,
    carts,
    held,
    awaited,
    payments,
    cancelling,
    renewed,
    ,
    promos,
    ,
    ,
    balances,
    stock,
    levels,
    orderers,
    uses,
    customers,
    taken,
    ids,
  ] = await Promise.all([
    custom.length > 0 ? readDefinitions(db, companyId, custom) : null,
    lock && payers.length > 0 ? holdCustomers(db, companyId, payers, 'wait') : undefined,
    lock && cartIds.length > 0 ? lockCarts(db, companyId, cartIds) : [],
    lock && reserved.length > 0 ? findHeldItems(db, companyId, reserved) : [],
    lock ? findPaymentsOfCarts(db, companyId, reserved) : new Map<number, PaymentRow>(),
    lock && paid.length > 0 ? lockPayments(db, companyId, paid) : [],
    lock && paid.length > 0 ? findCancelling(db, companyId, paid, refused) : [],
    lock && cycles.size > 0 ? lockRenewed(db, companyId, cycles) : new Map<number, RenewedSubscription>(),
    lock && externalIds.length > 0 ? lockExternalIds(db, companyId, externalIds) : undefined,
    codes.length > 0 ? readPromos(db, companyId, codes, productIds, lock) : [],
    lock && codes.length > 0 ? lockFirstOrders(db, companyId, codes, couponed.sort()) : undefined,
    lock ? lockStock(db, companyId, productIds) : undefined,
    redeemers.length > 0 ? readBalances(db, companyId, redeemers, lock) : new Map<number, number>(),
    readStock(db, companyId, productIds),
    hasLevels ? readLevels(db, companyId, productIds) : [],
    codes.length > 0 ? findOrderers(db, companyId, couponed) : new Set<string>(),
    codes.length > 0 ? countUses(db, companyId, codes, couponed) : [],
    findCustomers(db, companyId, customerIds),
    externalIds.length > 0 ? findExternalIds(db, companyId, externalIds) : new Set<string>(),
    lock ? drawIds(db, requests) : { orders: [], lines: [], payments: [] },
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
    takenExternalIds: taken,
    carts: new Map(carts.map((cart) => [cart.id, cart])),
    heldItems: held,
    renewed,
    awaited: new Map([...awaited, ...payments.map((payment) => [payment.cart_id!, payment] as const)]),
    cancelling: new Set(cancelling),
    orderIds: ids.orders,
    lineIds: ids.lines,
    paymentIds: ids.payments,
  };
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
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
 * The buyers (see `buyerOf`) of a statement, by the address too with which they may have ordered as guests. Without an address, the buyer
 * stands for it. A guest may have become a customer since the request was made.
 */
function buyersOf(companyId: number, buyers: readonly string[]): Statement {
  return sql`
    select b.buyer, c.id, coalesce(lower(c.email), b.buyer) as email
    from unnest(${[...buyers]}::text[]) as b (buyer)
    left join customers c on c.company_id = ${companyId} and c.id = case when b.buyer ~ '^[0-9]+$' then b.buyer::bigint
      else (select k.id from customers k where k.company_id = ${companyId} and lower(k.email) = b.buyer) end`;
}

/**
 * Serialises the orders and reservations of a buyer that use codes for first orders, different codes too, so that the result of a later
 * `findOrderers` holds until COMMIT. `buyers` ascending, `codes` in upper case.
 */
async function lockFirstOrders(tx: Queryable, companyId: number, codes: string[], buyers: string[]): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended('first order ' || email, ${companyId}))
    from (${buyersOf(companyId, buyers)} order by 3 offset 0) as b
    where exists (
      select 1 from promo_codes
      where company_id = ${companyId} and upper(code) = any(${codes}::text[]) and first_order_only)`);
}

/** Returns those of the buyers who have an order that is not cancelled, or a reservation. */
async function findOrderers(db: Queryable, companyId: number, buyers: string[]): Promise<Set<string>> {
  const rows = await db.query<{ buyer: string }>(sql`
    select buyer from (${buyersOf(companyId, buyers)}) as b
    where exists (
        select 1 from orders o where o.company_id = ${companyId} and o.customer_id = b.id and o.status <> 'cancelled')
      or exists (select 1 from reservations r where r.company_id = ${companyId} and r.customer_id = b.id)
      or exists (select 1 from reservations r where r.company_id = ${companyId} and r.email = b.email)`);
  return new Set(rows.map((row) => row.buyer));
}

/** Returns the uses of codes that are limited per customer, by buyer and kind of use; `codes` in upper case. */
async function countUses(db: Queryable, companyId: number, codes: string[], buyers: string[]): Promise<BuyerUse[]> {
  return db.query<BuyerUse>(sql`
    with limited as materialized (
      select id from promo_codes
      where company_id = ${companyId} and upper(code) = any(${codes}::text[]) and per_customer_limit is not null
    ),
    b as materialized (${buyersOf(companyId, buyers)})
    select b.buyer, o.promo_code_id, count(*) as uses
    from b join orders o on o.company_id = ${companyId} and o.customer_id = b.id
      and o.promo_code_id in (select id from limited) and o.status <> 'cancelled'
    group by 1, 2
    union all
    select b.buyer, r.promo_code_id, count(*)
    from b join reservations r on r.company_id = ${companyId} and (r.customer_id = b.id or r.email = b.email)
      and r.promo_code_id in (select id from limited)
    group by 1, 2`);
}

/** Returns the points that are not reserved, by customer; a customer without an account is absent. */
async function readBalances(
  db: Queryable,
  companyId: number,
  customerIds: number[],
  lock: boolean,
): Promise<Map<number, number>> {
  const rows = await db.query<{ customer_id: number; points_balance: number }>(sql`
    select customer_id, points_balance - points_reserved as points_balance from customer_accounts
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

/** Draws ids for new orders, their lines and payments, so that responses can be rendered before they are written. */
async function drawIds(db: Queryable, requests: readonly OrderRequest[]) {
  // At most: a product given twice is one line, and some requests fail.
  const lines = requests.reduce((sum, { items, cart }) => {
    return sum + (cart?.reserved ? cart.reserved.frozen.lines.length : items.length);
  }, 0);
  const payments = requests.reduce((sum, { cart, payments: { length } }) => sum + length + (cart?.pays ? 1 : 0), 0);
  const rows = await db.query<{ id: number; kind: number }>(sql`
    select nextval('orders_id_seq') as id, 0 as kind from generate_series(1, ${requests.length}::int)
    union all
    select nextval('order_items_id_seq'), 1 from generate_series(1, ${lines}::int)
    union all
    select nextval('payments_id_seq'), 2 from generate_series(1, ${payments}::int)`);
  const idsOf = (kind: number) => rows.filter((row) => row.kind === kind).map((row) => row.id);
  return { orders: idsOf(0), lines: idsOf(1), payments: idsOf(2) };
}

/** Inserts the orders, their lines and the first entry of their history. */
export function insertOrders(tx: Tx, companyId: number, orders: readonly NewOrder[]): Promise<unknown>[] {
  const rows = orders.map(
    ({ items, correlation, allocations, wasReserved, frozen, note, books, money, ...row }) => row,
  );
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

/** Keeps the customers that no other transaction locks from being erased or merged; returns the others that are there. */
export async function holdAvailableCustomers(db: Queryable, companyId: number, ids: number[]): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    with free as materialized (
      select id from customers
      where company_id = ${companyId} and id = any(${ids}::bigint[]) order by id for key share skip locked
    )
    select id from customers
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and id not in (select id from free)`);
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

/** Like `lockFirstOrders`, but without waiting; returns the buyers whose lock another transaction has. */
export async function lockAvailableFirstOrders(db: Queryable, companyId: number, buyers: string[]): Promise<string[]> {
  const rows = await db.query<{ buyer: string }>(sql`
    select buyer from (${buyersOf(companyId, buyers)}) as b
    where not pg_try_advisory_xact_lock(hashtextextended('first order ' || email, ${companyId}))`);
  return rows.map((row) => row.buyer);
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
