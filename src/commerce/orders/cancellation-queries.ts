import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** Returns the stock of a cancelled order, with a stock movement for each product. Locks stock rows by ascending id. */
export async function restock(tx: Tx, companyId: number, orderId: number, actor: string, now: Date): Promise<void> {
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

export async function returnPromo(tx: Tx, companyId: number, promoId: number): Promise<void> {
  await tx.query(sql`
    update promo_codes set used_count = used_count - 1 where company_id = ${companyId} and id = ${promoId}`);
}

/** Returns the order's entries in the loyalty ledger. */
export async function findOrderPoints(
  tx: Tx,
  companyId: number,
  orderId: number,
): Promise<{ type: string; points: number }[]> {
  return tx.query(sql`
    select type, points from loyalty_ledger where company_id = ${companyId} and order_id = ${orderId}`);
}
