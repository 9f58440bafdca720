import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/* The only statements that write `product_stock` and `stock_movements`. Each works on a set of products in the caller's transaction. */

export interface StockRow {
  product_id: number;
  stock_qty: number;
}

/** Who writes, and when. */
export interface Stamp {
  actor: string;
  now: Date;
}

/** Finds the stock by the product's id (a number) or slug. */
export async function findStock(db: Queryable, companyId: number, ref: number | string): Promise<StockRow | undefined> {
  const by = typeof ref === 'number' ? sql`p.id = ${ref}` : sql`p.slug = ${ref}`;
  const rows = await db.query<StockRow>(sql`
    select s.product_id, s.stock_qty
    from products p join product_stock s on s.company_id = p.company_id and s.product_id = p.id
    where p.company_id = ${companyId} and ${by}`);
  return rows[0];
}

/** Creates the stock of new products, with the first movement of each. */
export async function createStock(
  tx: Tx,
  companyId: number,
  products: { productId: number; qty: number }[],
  { actor, now }: Stamp,
): Promise<void> {
  await tx.query(sql`
    with given as (
      select * from unnest(${products.map(({ productId }) => productId)}::bigint[], ${products.map(({ qty }) => qty)}::int[])
        as g (product_id, qty)
    ),
    stocked as (
      insert into product_stock (company_id, product_id, stock_qty) select ${companyId}, product_id, qty from given
    )
    insert into stock_movements (company_id, product_id, kind, reference, delta, actor, created_at)
    select ${companyId}, product_id, 'initial', 0, qty, ${actor}, ${now} from given`);
}

/** Adds each `delta`. The caller has locked the products' stock. */
export async function adjustStock(
  tx: Tx,
  companyId: number,
  changes: { productId: number; delta: number }[],
  { actor, now, reason }: Stamp & { reason: string | null },
): Promise<void> {
  await tx.query(sql`
    with given as (
      select * from unnest(${changes.map(({ productId }) => productId)}::bigint[], ${changes.map(({ delta }) => delta)}::int[])
        as g (product_id, delta)
    ),
    changed as (
      update product_stock s set stock_qty = s.stock_qty + g.delta from given g
      where s.company_id = ${companyId} and s.product_id = g.product_id
    )
    insert into stock_movements (company_id, product_id, kind, reference, delta, reason, actor, created_at)
    select ${companyId}, product_id, 'adjust', nextval('stock_adjustment_id'), delta, ${reason}, ${actor}, ${now} from given`);
}

/** A line of a new order. */
export interface SoldLine {
  orderId: number;
  productId: number;
  qty: number;
  actor: string;
  at: Date;
}

/** Takes the stock of new orders. The caller has locked the products' stock and checked the quantities. */
export async function takeStock(tx: Tx, companyId: number, lines: readonly SoldLine[]): Promise<void> {
  await tx.query(sql`
    with lines as (
      select * from unnest(${lines.map(({ productId }) => productId)}::bigint[], ${lines.map(({ orderId }) => orderId)}::bigint[],
        ${lines.map(({ qty }) => qty)}::int[], ${lines.map(({ actor }) => actor)}::text[], ${lines.map(({ at }) => at)}::timestamptz[])
        as l (product_id, order_id, qty, actor, created_at)
    ),
    taken as (
      update product_stock s set stock_qty = s.stock_qty - t.qty
      from (select product_id, sum(qty)::int as qty from lines group by product_id) t
      where s.company_id = ${companyId} and s.product_id = t.product_id
    )
    insert into stock_movements (company_id, product_id, kind, reference, delta, actor, created_at)
    select ${companyId}, product_id, 'order', order_id, -qty, actor, created_at from lines`);
}

/** Returns the stock of a cancelled order, with a movement for each product. Locks stock rows by ascending id. */
export async function returnStock(tx: Tx, companyId: number, orderId: number, { actor, now }: Stamp): Promise<void> {
  await tx.query(sql`
    with lines as (
      -- An imported order took no stock here.
      select product_id, sum(qty)::int as qty from order_items
      where company_id = ${companyId} and order_id = ${orderId} and not (
        select imported from orders where company_id = ${companyId} and id = ${orderId})
      group by product_id
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

/** Deletes the stock and movements of products that are deleted in the same transaction. */
export async function deleteStock(tx: Tx, companyId: number, productIds: number[]): Promise<void> {
  await tx.query(sql`
    with moved as (
      delete from stock_movements where company_id = ${companyId} and product_id = any(${productIds}::bigint[])
    )
    delete from product_stock where company_id = ${companyId} and product_id = any(${productIds}::bigint[])`);
}
