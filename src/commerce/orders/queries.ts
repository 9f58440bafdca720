import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { CustomValues } from '../custom-fields/definition.ts';
import type { OrderingCustomer } from './placing/snapshot.ts';
import type { ItemRow, OrderRow } from './record.ts';
import type { OrderStatus } from './status.ts';

export type OrderWithItems = OrderRow & { items: ItemRow[] };

export const COLUMNS =
  rawSql(`o.id, o.customer_id, o.status, o.subtotal, o.discount, o.tax, o.shipping, o.total, o.promo_code_id,
  o.promo_code, o.points_redeemed, o.shipping_address, o.shipping_city, o.shipping_state, o.shipping_zip, o.shipping_country,
  o.shipping_method, o.tax_lines, o.tracking_number, o.external_id, o.metadata, o.custom, o.subscription_id, o.location_id,
  o.cart_id, o.origin, o.guest, o.billing, o.created_at, o.updated_at,
  (select json_build_object('charged', b.charged, 'paid', b.paid, 'refunded', b.refunded, 'payment_status', b.payment_status)
    from order_balances b where b.company_id = o.company_id and b.order_id = o.id) as money`);

export const ITEMS =
  rawSql(`(select json_agg(json_build_object('id', i.id, 'product_id', i.product_id, 'product_name', i.product_name,
    'qty', i.qty, 'price', i.price, 'subtotal', i.subtotal, 'discount', i.discount, 'tax', i.tax,
    'sku', i.sku, 'tax_class', i.tax_class, 'categories', i.categories, 'parent_id', i.parent_id,
    'title', i.title, 'options', i.options) order by i.line)
  from order_items i where i.company_id = o.company_id and i.order_id = o.id) as items`);

export async function findOrder(db: Queryable, companyId: number, id: number): Promise<OrderWithItems | undefined> {
  const rows = await db.query<OrderWithItems>(sql`
    select ${COLUMNS}, ${ITEMS} from orders o where o.company_id = ${companyId} and o.id = ${id}`);
  return rows[0];
}

/** Throws if no order was placed from the cart. */
export async function orderOfCart(db: Queryable, companyId: number, cartId: number): Promise<OrderWithItems> {
  const rows = await db.query<OrderWithItems>(sql`
    select ${COLUMNS}, ${ITEMS} from orders o where o.company_id = ${companyId} and o.cart_id = ${cartId}`);
  if (rows[0] === undefined) throw new Error(`Cart ${cartId} has no order`);
  return rows[0];
}

/**
 * Locks the order, as every change of its status or its money must. It is read by a second statement: one that both locks and reads would
 * see the balance from before it waited.
 */
async function lockOrder(tx: Tx, companyId: number, id: number): Promise<OrderWithItems | undefined> {
  const [, order] = await Promise.all([
    tx.query(sql`select from orders where company_id = ${companyId} and id = ${id} for update`),
    findOrder(tx, companyId, id),
  ]);
  return order;
}

/** An order that is locked, with its customer. */
export interface HeldOrder {
  order: OrderWithItems;
  buyer: OrderingCustomer;
}

/**
 * Locks the order, and keeps its customer from being erased or merged until COMMIT: what the transaction writes of them is there when an
 * erasure looks for it. As by a merge, the customer is locked first, unless a merge that was waited for has moved the order to another.
 */
export async function holdOrder(tx: Tx, companyId: number, id: number): Promise<HeldOrder | undefined> {
  const [held, order] = await Promise.all([
    holdBuyer(tx, companyId, sql`(select customer_id from orders where company_id = ${companyId} and id = ${id})`),
    lockOrder(tx, companyId, id),
  ]);
  if (order === undefined) return undefined;
  const isTheirs = held?.id === order.customer_id;
  const buyer = isTheirs ? held : await holdBuyer(tx, companyId, sql`${order.customer_id}`);
  return { order, buyer: buyer! };
}

async function holdBuyer(tx: Tx, companyId: number, id: Statement): Promise<OrderingCustomer | undefined> {
  const rows = await tx.query<OrderingCustomer>(sql`
    select id, email, first_name, last_name, phone, erased_at is not null as erased
    from customers where company_id = ${companyId} and id = ${id} for key share`);
  return rows[0];
}

export async function customerExists(db: Queryable, companyId: number, customerId: number): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from customers where company_id = ${companyId} and id = ${customerId} and erased_at is null`);
  return rows.length > 0;
}

export async function updateStatus(
  tx: Tx,
  companyId: number,
  order: { id: number; status: OrderStatus; trackingNumber: string | null; custom: CustomValues; now: Date },
): Promise<void> {
  await tx.query(sql`
    update orders set status = ${order.status}, tracking_number = ${order.trackingNumber},
      custom = ${JSON.stringify(order.custom)}::jsonb, updated_at = ${order.now}
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

/** Locks a customer's orders, except those that are placed in the meantime. */
export async function lockOrdersOf(tx: Tx, companyId: number, customerId: number): Promise<void> {
  await tx.query(sql`
    select from orders where company_id = ${companyId} and customer_id = ${customerId} order by id for update`);
}

/** Reassigns a customer's orders to another customer. */
export async function moveOrders(tx: Tx, companyId: number, from: number, into: number): Promise<void> {
  await tx.query(sql`
    update orders set customer_id = ${into} where company_id = ${companyId} and customer_id = ${from}`);
}
