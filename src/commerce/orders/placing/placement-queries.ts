import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { Correlation } from '../../../lib/tracing/correlation.ts';
import type { ItemRow, OrderRow } from '../record.ts';

/** Reserves ids for `count` new orders, so that their responses can be rendered before the orders are written. */
export async function reserveOrderIds(db: Queryable, count: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select nextval('orders_id_seq') as id from generate_series(1, ${count}::int)`);
  return rows.map((row) => row.id);
}

export interface NewItem extends ItemRow {
  /** For events; not stored. */
  categories: readonly string[];
}

export interface NewOrder extends OrderRow {
  actor: string;
  /** For its event; not stored with the order. */
  correlation: Correlation | null;
  items: NewItem[];
}

/** Inserts the orders, their lines, their stock movements and the first entry of their history. */
export function insertOrders(tx: Tx, companyId: number, orders: NewOrder[]): Promise<unknown>[] {
  const rows = orders.map(({ items, correlation, ...row }) => row);
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

/** Reduces the stock. The caller has locked the rows and checked the quantities. */
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
