import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { ItemRow, OrderRow } from './record.ts';
import { ORDER_STATUSES, type OrderStatus } from './status.ts';

export type OrderWithItems = OrderRow & { items: ItemRow[] };

export const COLUMNS =
  rawSql(`o.id, o.customer_id, o.status, o.subtotal, o.discount, o.tax, o.shipping, o.total, o.promo_code_id,
  o.promo_code, o.points_redeemed, o.shipping_address, o.shipping_city, o.shipping_state, o.shipping_zip, o.shipping_country,
  o.shipping_method, o.tax_lines, o.tracking_number, o.external_id, o.metadata, o.subscription_id, o.created_at, o.updated_at`);

export const ITEMS =
  rawSql(`(select json_agg(json_build_object('product_id', i.product_id, 'product_name', i.product_name,
    'qty', i.qty, 'price', i.price, 'subtotal', i.subtotal, 'discount', i.discount, 'tax', i.tax) order by i.line)
  from order_items i where i.company_id = o.company_id and i.order_id = o.id) as items`);

export async function findOrder(db: Queryable, companyId: number, id: number): Promise<OrderWithItems | undefined> {
  const rows = await db.query<OrderWithItems>(sql`
    select ${COLUMNS}, ${ITEMS} from orders o where o.company_id = ${companyId} and o.id = ${id}`);
  return rows[0];
}

/** Locks the order: whoever changes its status comes through here. */
export async function lockOrder(tx: Tx, companyId: number, id: number): Promise<OrderWithItems | undefined> {
  const rows = await tx.query<OrderWithItems>(sql`
    select ${COLUMNS}, ${ITEMS} from orders o where o.company_id = ${companyId} and o.id = ${id} for update of o`);
  return rows[0];
}

export interface OrderPage {
  rows: OrderWithItems[];
  total: number;
}

type ListedRow = OrderWithItems & { list_total: number };

export interface KeptFilters {
  status: OrderStatus | null;
  isSubscription: boolean | null;
  /** YYYY-MM-DD, inclusive. */
  dateFrom: string | null;
  dateTo: string | null;
}

/** The filters as conditions over alias o. */
function conditionsOf({ status, isSubscription, dateFrom, dateTo }: KeptFilters): Statement {
  return sql`${status === null ? emptySql : sql`and o.status = ${status}`}
    ${isSubscription === null ? emptySql : rawSql(`and o.subscription_id is ${isSubscription ? 'not null' : 'null'}`)}
    ${dateFrom === null ? emptySql : sql`and o.created_at >= ${dateFrom}::date::timestamp at time zone 'UTC'`}
    ${dateTo === null ? emptySql : sql`and o.created_at < (${dateTo}::date + 1)::timestamp at time zone 'UTC'`}`;
}

/** The facets of list_counts that the filters admit; null for all. */
function facetsOf({ status, isSubscription }: KeptFilters): string[] | null {
  if (status === null && isSubscription === null) return null;
  const kinds = isSubscription === null ? ['single', 'subscription'] : [isSubscription ? 'subscription' : 'single'];
  const statuses = status === null ? ORDER_STATUSES : [status];
  return statuses.flatMap((one) => kinds.map((kind) => `${one}:${kind}`));
}

function locate(companyId: number, filters: KeptFilters, skip: number): Statement {
  const { dateFrom, dateTo } = filters;
  return sql`locate_page(${companyId}, 'orders', ${facetsOf(filters)}::text[], ${dateFrom}::date, ${dateTo}::date, ${skip})`;
}

/** A page under the filters whose totals are kept, in any combination of them. One statement. */
export async function listOrders(
  db: Queryable,
  companyId: number,
  filters: KeptFilters,
  page: PageBounds,
): Promise<OrderPage> {
  const wanted = conditionsOf(filters);
  const rows = await db.query<ListedRow>(sql`
    select l.total as list_total, ${COLUMNS}, ${ITEMS}
    from (
      select total, lowest, (
        select o.id from orders o
        where o.company_id = ${companyId} and o.id < below and o.id >= lowest ${wanted}
        order by o.id desc offset rest limit 1
      ) as first
      from ${locate(companyId, filters, page.skip)}
    ) l
    left join lateral (
      -- The limit of 100: see listProductsByKey.
      select * from (
        select * from orders o where o.company_id = ${companyId} and o.id <= l.first and o.id >= l.lowest ${wanted}
        order by o.id desc limit 100
      ) page limit ${page.take}
    ) o on true
    order by o.id desc`);
  return unpack(rows);
}

/** A page of one customer's orders: without other filters the total is kept on the account. */
export async function listCustomerOrders(
  db: Queryable,
  companyId: number,
  customerId: number,
  filters: KeptFilters,
  page: PageBounds,
): Promise<OrderPage> {
  const of = sql`o.company_id = ${companyId} and o.customer_id = ${customerId}`;
  if (Object.values(filters).every((filter) => filter === null)) {
    const kept = sql`select coalesce((select order_count from customer_accounts where company_id = ${companyId} and customer_id = ${customerId}), 0) as total`;
    return pageOf(db, companyId, { total: kept, conditions: of }, page);
  }
  // Between which ids there are orders of these days and this status is known: few of those that the customer has in all.
  // Compared together with the customer, which only the customers' index can: by their ids alone it would seem cheaper to
  // read everybody's orders.
  const within = sql`${of} and (o.customer_id, o.id) < (${customerId}, l.below)
    and (o.customer_id, o.id) >= (${customerId}, l.lowest) ${conditionsOf(filters)}`;
  const total = sql`select l.below, l.lowest, (select count(*) from orders o where ${within}) as total
    from ${locate(companyId, filters, 0)} l`;
  return pageOf(db, companyId, { total, conditions: within }, page);
}

/** The orders that a subscription's renewals made. */
export async function listSubscriptionOrders(
  db: Queryable,
  companyId: number,
  subscriptionId: number,
  page: PageBounds,
): Promise<OrderPage> {
  const conditions = sql`o.company_id = ${companyId} and o.subscription_id = ${subscriptionId}`;
  const total = sql`select count(*) as total from orders o where ${conditions}`;
  return pageOf(db, companyId, { total, conditions }, page);
}

/**
 * A page of a set of orders that an index knows. Their ids come from it alone, walked from the nearer end: of 100,000
 * orders the last page costs what the first does. `total` is a statement that counts the set, `conditions` are over
 * alias o.
 */
async function pageOf(
  db: Queryable,
  companyId: number,
  { total, conditions }: { total: Statement; conditions: Statement },
  { skip, take }: PageBounds,
): Promise<OrderPage> {
  const rows = await db.query<ListedRow>(sql`
    -- Counted once: a subquery would be put in place of each mention of its total.
    with l as materialized (${total})
    select l.total as list_total, ${COLUMNS}, ${ITEMS}
    from l
    left join (
      lateral (
        (select o.id from orders o where ${conditions} and ${skip}::bigint * 2 <= l.total
         order by o.id desc offset ${skip} limit ${take})
        union all
        (select o.id from orders o where ${conditions} and ${skip}::bigint * 2 > l.total
         order by o.id offset greatest(l.total - ${skip}::bigint - ${take}::int, 0)
         limit greatest(least(${take}::int, l.total - ${skip}::bigint), 0))
      ) page
      cross join lateral (
        -- Row by row: the planner, which cannot know how short the page is, would read all orders for a join.
        select * from orders o where o.company_id = ${companyId} and o.id = page.id offset 0
      ) o
    ) on true
    order by o.id desc limit ${take}`);
  return unpack(rows);
}

function unpack(rows: ListedRow[]): OrderPage {
  return { total: rows[0]!.list_total, rows: rows.filter((row) => row.id !== null) };
}

export async function customerExists(db: Queryable, companyId: number, customerId: number): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from customers where company_id = ${companyId} and id = ${customerId} and erased_at is null`);
  return rows.length > 0;
}

export async function updateStatus(
  tx: Tx,
  companyId: number,
  order: { id: number; status: OrderStatus; trackingNumber: string | null; now: Date },
): Promise<void> {
  await tx.query(sql`
    update orders set status = ${order.status}, tracking_number = ${order.trackingNumber}, updated_at = ${order.now}
    where company_id = ${companyId} and id = ${order.id}`);
}

export async function insertHistory(
  tx: Tx,
  companyId: number,
  entry: {
    orderId: number;
    type: string;
    from: string | null;
    to: string | null;
    actor: string;
    message: string | null;
    now: Date;
  },
): Promise<void> {
  await tx.query(sql`
    insert into order_history (company_id, order_id, type, from_status, to_status, actor, message, created_at)
    values (${companyId}, ${entry.orderId}, ${entry.type}, ${entry.from}, ${entry.to}, ${entry.actor}, ${entry.message},
      ${entry.now})`);
}

export interface HistoryRow {
  id: number;
  type: string;
  from: string | null;
  to: string | null;
  actor: string;
  message: string | null;
  created_at: Date;
}

export async function countHistory(db: Queryable, companyId: number, orderId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from order_history where company_id = ${companyId} and order_id = ${orderId}`);
  return rows[0]!.n;
}

export async function listHistory(
  db: Queryable,
  companyId: number,
  orderId: number,
  page: PageBounds,
): Promise<HistoryRow[]> {
  return db.query<HistoryRow>(sql`
    select id, type, from_status as "from", to_status as "to", actor, message, created_at
    from order_history where company_id = ${companyId} and order_id = ${orderId}
    order by id offset ${page.skip} limit ${page.take}`);
}

/** Puts a cancelled order's lines back, each by a movement of its own. Stock rows are taken in the order of their ids. */
export async function restock(tx: Tx, companyId: number, orderId: number, actor: string, now: Date): Promise<void> {
  await tx.query(sql`
    with lines as (
      select product_id, sum(qty)::int as qty from order_items
      where company_id = ${companyId} and order_id = ${orderId} group by product_id
    ),
    locked as (
      select s.product_id, lines.qty from product_stock s join lines using (product_id)
      where s.company_id = ${companyId} order by s.product_id for update of s
    ),
    moved as (
      update product_stock s set stock_qty = s.stock_qty + locked.qty from locked
      where s.company_id = ${companyId} and s.product_id = locked.product_id
    )
    insert into stock_movements (company_id, product_id, kind, reference, delta, actor, created_at)
    select ${companyId}, product_id, 'cancel', ${orderId}, qty, ${actor}, ${now} from lines`);
}

export async function returnPromo(tx: Tx, companyId: number, promoId: number): Promise<void> {
  await tx.query(sql`
    update promo_codes set used_count = used_count - 1 where company_id = ${companyId} and id = ${promoId}`);
}

/** The points that the order earned and redeemed, by type. */
export async function findOrderPoints(
  tx: Tx,
  companyId: number,
  orderId: number,
): Promise<{ type: string; points: number }[]> {
  return tx.query(sql`
    select type, points from loyalty_ledger where company_id = ${companyId} and order_id = ${orderId}`);
}
