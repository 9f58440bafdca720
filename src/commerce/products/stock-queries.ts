import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface StockRow {
  product_id: number;
  stock_qty: number;
}

export async function findStock(db: Queryable, companyId: number, ref: number | string): Promise<StockRow | undefined> {
  const by = typeof ref === 'number' ? sql`p.id = ${ref}` : sql`p.slug = ${ref}`;
  const rows = await db.query<StockRow>(sql`
    select s.product_id, s.stock_qty
    from products p join product_stock s on s.company_id = p.company_id and s.product_id = p.id
    where p.company_id = ${companyId} and ${by}`);
  return rows[0];
}

export async function insertStock(
  tx: Tx,
  companyId: number,
  stock: { productId: number; qty: number; actor: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    with stocked as (
      insert into product_stock (company_id, product_id, stock_qty)
      values (${companyId}, ${stock.productId}, ${stock.qty})
    )
    insert into stock_movements (company_id, product_id, kind, reference, delta, actor, created_at)
    values (${companyId}, ${stock.productId}, 'initial', 0, ${stock.qty}, ${stock.actor}, ${stock.now})`);
}

/** Adds `delta` to the stock and records the movement. The caller has locked the row. */
export async function adjustStock(
  tx: Tx,
  companyId: number,
  change: { productId: number; delta: number; reason: string | null; actor: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    with moved as (
      update product_stock set stock_qty = stock_qty + ${change.delta}
      where company_id = ${companyId} and product_id = ${change.productId}
    )
    insert into stock_movements (company_id, product_id, kind, reference, delta, reason, actor, created_at)
    values (${companyId}, ${change.productId}, 'adjust', nextval('stock_adjustment_id'), ${change.delta}, ${change.reason},
      ${change.actor}, ${change.now})`);
}
