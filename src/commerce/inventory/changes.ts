import type { Caller } from '../../caller.ts';
import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { enqueue } from '../../outbox/service.ts';
import type { StockLocation } from './allocate.ts';
import { Levels, readLevels } from './levels.ts';
import { lowStockEvents, type StockChange } from './low-stock.ts';
import { moveStock, type StockMove } from './stock.ts';

/** A product whose stock is changed. */
export type ChangedProduct = StockChange['product'] & {
  stock_qty: number;
  /** Above 0 for a parent. */
  variant_count: number;
};

/** What a change of stock sees under its locks. */
export interface LockedStock {
  /** Unknown ids are left out. */
  products: ReadonlyMap<number, ChangedProduct>;
  levels: Levels;
  /** The active ones. */
  locations: readonly StockLocation[];
}

/** Locks the stock of the products by ascending id and returns it, in one round trip. */
export async function lockStock(tx: Tx, companyId: number, productIds: readonly number[]): Promise<LockedStock> {
  const ids = [...new Set(productIds)];
  const [, rows, levels, locations] = await Promise.all([
    tx.query(sql`
      select from product_stock
      where company_id = ${companyId} and product_id = any(${ids}::bigint[]) order by product_id for update`),
    tx.query<ChangedProduct>(sql`
      select p.id, p.name, p.sku, p.track_stock, p.low_stock_at, p.variant_count, s.stock_qty
      from product_stock s join products p on p.company_id = s.company_id and p.id = s.product_id
      where s.company_id = ${companyId} and s.product_id = any(${ids}::bigint[])`),
    readLevels(tx, companyId, ids),
    tx.query<StockLocation>(sql`
      select id, main, online from locations where company_id = ${companyId} and active order by position, id`),
  ]);
  const products = new Map(rows.map((row) => [row.id, row]));
  return {
    products,
    levels: new Levels(locations, (id) => products.get(id)?.stock_qty ?? 0, levels),
    locations,
  };
}

/** Writes moves that `levels` already has, and sends `stock_low` for products that became low. */
export async function writeMoves(
  tx: Tx,
  caller: Caller,
  { products, levels }: LockedStock,
  moves: readonly StockMove[],
): Promise<void> {
  const { companyId, now } = caller;
  const changes = levels.changes().map(({ productId, before, after }) => {
    return { product: products.get(productId)!, before, after };
  });
  await Promise.all([
    moveStock(tx, companyId, moves),
    enqueue(tx, companyId, lowStockEvents(changes, now), correlationOf(caller)),
  ]);
}
