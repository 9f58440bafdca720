import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { found, invalidField } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { enqueue } from '../../outbox/service.ts';
import { lowStockEvents } from '../inventory/low-stock.ts';
import * as stock from '../inventory/stock.ts';
import { fromMinor } from '../money.ts';
import type { ShopCache } from '../shop.ts';
import type { Inventory } from './contract.ts';
import type { HistoryQuery, PriceChange, StockAdjustment, StockMovement } from './history-contract.ts';
import * as history from './history-queries.ts';
import * as queries from './queries.ts';
import { parseRef } from './slug.ts';

const MAX_STOCK = 1_000_000_000;

export type ProductHistoryService = ReturnType<typeof createProductHistoryService>;

/** The history of a product's price and stock. */
export function createProductHistoryService({ db, shops }: { db: Db; shops: ShopCache }) {
  async function idOf(companyId: number, ref: string): Promise<number> {
    return found(await stock.findStock(db.points(companyId), companyId, parseRef(ref)), 'product').product_id;
  }

  return {
    /** The latest first. Throws not_found. */
    async listPriceChanges(companyId: number, ref: string, query: HistoryQuery): Promise<Page<PriceChange>> {
      const [id, { exponent }] = await Promise.all([idOf(companyId, ref), shops.get(companyId)]);
      const page = pageOf(query);
      const [total, rows] = await Promise.all([
        history.countPriceChanges(db.lists(companyId), companyId, id),
        history.listPriceChanges(db.lists(companyId), companyId, id, page),
      ]);
      const records = rows.map((row) => ({
        ...row,
        old_price: row.old_price === null ? null : fromMinor(row.old_price, exponent),
        new_price: fromMinor(row.new_price, exponent),
        created_at: row.created_at.toISOString(),
      }));
      return { rows: records, total, ...page };
    },

    /** The latest first. Throws not_found. */
    async listStockMovements(companyId: number, ref: string, query: HistoryQuery): Promise<Page<StockMovement>> {
      const id = await idOf(companyId, ref);
      const page = pageOf(query);
      const [total, rows] = await Promise.all([
        history.countStockMovements(db.lists(companyId), companyId, id),
        history.listStockMovements(db.lists(companyId), companyId, id, page),
      ]);
      const records = rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
      return { rows: records, total, ...page };
    },

    /** Throws not_found, validation_failed where the stock would go below 0. */
    async adjustStock(caller: Caller, ref: string, { delta, reason = null }: StockAdjustment): Promise<Inventory> {
      const { companyId, actor, now } = caller;
      return write(db, caller, async (tx) => {
        const product = found(await queries.lockProduct(tx, companyId, parseRef(ref)), 'product');
        if (product.variant_count > 0) throw invalidField('delta', 'The stock is that of its variants', 'of_variant');
        if (!product.track_stock) throw invalidField('delta', 'The stock of this product is not tracked', 'untracked');
        const left = product.stock_qty + delta;
        if (left < 0) throw invalidField('delta', `There are only ${product.stock_qty} in stock`, 'out_of_range');
        if (left > MAX_STOCK) throw invalidField('delta', `A stock is at most ${MAX_STOCK}`);
        if (delta !== 0) {
          const by = { reason: reason || null, actor, now };
          const short = await stock.adjustStock(tx, companyId, [{ productId: product.id, delta }], by);
          if (short.length > 0) throw invalidField('delta', 'The main location has less than that', 'out_of_range');
          const events = lowStockEvents([{ product, before: product.stock_qty, after: left }], now);
          await enqueue(tx, companyId, events, correlationOf(caller));
        }
        return { product_id: product.id, stock_qty: left, in_stock: left > 0 };
      });
    },
  };
}
