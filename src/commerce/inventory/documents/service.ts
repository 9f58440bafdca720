import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db } from '../../../db/pool.ts';
import { type FieldError, found, validationFailed } from '../../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../../lib/paging.ts';
import { readAmount } from '../../fields.ts';
import { fromMinor } from '../../money.ts';
import type { Shop, ShopCache } from '../../shop.ts';
import { type LockedStock, lockStock, writeMoves } from '../changes.ts';
import { MAX_STOCK } from '../levels.ts';
import { holdLocations } from '../locations/queries.ts';
import type { StockMove } from '../stock.ts';
import type { Adjustment, AdjustmentInput, Receipt, ReceiptInput } from './contract.ts';
import { checkLocation, isCounted, unknownLocation } from './lines.ts';
import * as queries from './queries.ts';

export { createTransfersService } from './transfers.ts';

export type StockDocumentsService = ReturnType<typeof createStockDocumentsService>;

/** Adjustments of stock and receipts of goods: each is written once, with its movements. */
export function createStockDocumentsService({ db, shops }: { db: Db; shops: ShopCache }) {
  return {
    /** The latest first. */
    async listAdjustments(companyId: number, query: PageQuery): Promise<Page<Adjustment>> {
      const [lane, page] = [db.lists(companyId), pageOf(query)];
      const [total, rows] = await Promise.all([
        queries.countDocuments(lane, companyId, 'stock_adjustments'),
        queries.listAdjustments(lane, companyId, page),
      ]);
      return { rows: rows.map(adjustmentRecord), total, ...page };
    },

    /** Throws validation_failed with every line that cannot be written; then nothing is. */
    async createAdjustment(caller: Caller, input: AdjustmentInput): Promise<Adjustment> {
      const { companyId, actor, now } = caller;
      const reason = input.reason || null;
      const main = mainOf(await shops.get(companyId));
      return write(db, caller, async (tx) => {
        const lines = input.lines.map((line) => ({ ...line, location_id: line.location_id ?? main }));
        const held = await holdLocations(tx, companyId, [...new Set(lines.map((line) => line.location_id))]);
        const stock = await lockStock(
          tx,
          companyId,
          lines.map((line) => line.product_id),
        );
        const errors: FieldError[] = [];
        const written = lines.map((line, i) => adjusted(stock, held, line, `lines.${i}`, errors));
        if (errors.length > 0) throw validationFailed(errors);
        const row = await queries.insertAdjustment(tx, companyId, { reason, lines: written }, caller);
        const moves = written
          .filter(({ delta }) => delta !== 0)
          .map(({ product_id: productId, location_id: locationId, delta }): StockMove => {
            return { productId, locationId, kind: 'adjust', referenceId: row.id, delta, actor, at: now, reason };
          });
        await writeMoves(tx, caller, stock, moves);
        return adjustmentRecord(row);
      });
    },

    /** The latest first. */
    async listReceipts(companyId: number, query: PageQuery): Promise<Page<Receipt>> {
      const [lane, page] = [db.lists(companyId), pageOf(query)];
      const [shop, total, rows] = await Promise.all([
        shops.get(companyId),
        queries.countDocuments(lane, companyId, 'stock_receipts'),
        queries.listReceipts(lane, companyId, page),
      ]);
      return { rows: rows.map((row) => receiptRecord(row, shop)), total, ...page };
    },

    /** Throws not_found. */
    async getReceipt(companyId: number, id: number): Promise<Receipt> {
      const shop = await shops.get(companyId);
      return receiptRecord(found(await queries.findReceipt(db.points(companyId), companyId, id), 'receipt'), shop);
    },

    /** Throws validation_failed. */
    async createReceipt(caller: Caller, input: ReceiptInput): Promise<Receipt> {
      const { companyId, actor, now } = caller;
      const shop = await shops.get(companyId);
      return write(db, caller, async (tx) => {
        const { location_id: locationId, supplier, reference } = input;
        const errors = await checkLocation(tx, companyId, { location_id: locationId });
        const stock = await lockStock(
          tx,
          companyId,
          input.lines.map((line) => line.product_id),
        );
        const lines = input.lines.map(({ product_id, qty, unit_cost = null }, i) => {
          const field = `lines.${i}`;
          if (isCounted(stock, product_id, field, errors) && errors.length === 0) {
            add(stock, { productId: product_id, locationId, delta: qty }, `${field}.qty`, errors);
          }
          const cost = unit_cost === null ? null : readAmount(`${field}.unit_cost`, unit_cost, shop, errors);
          return { product_id, qty, unit_cost: cost };
        });
        if (errors.length > 0) throw validationFailed(errors);
        const values = { location_id: locationId, supplier: supplier || null, reference: reference || null, lines };
        const row = await queries.insertReceipt(tx, companyId, values, caller);
        const moves = lines.map(({ product_id: productId, qty: delta }): StockMove => {
          return { productId, locationId, kind: 'receipt', referenceId: row.id, delta, actor, at: now };
        });
        await writeMoves(tx, caller, stock, moves);
        return receiptRecord(row, shop);
      });
    },
  };
}

function mainOf({ locations }: Shop): number {
  return locations.find(({ main }) => main)!.id;
}

/** Changes the levels, unless one would be below 0 or too large: then adds an error. */
function add(
  { levels }: LockedStock,
  { productId, locationId, delta }: Pick<StockMove, 'productId' | 'locationId' | 'delta'>,
  field: string,
  errors: FieldError[],
): void {
  const available = levels.available(productId, locationId);
  const isTooLarge = levels.isTooLarge(productId, locationId, delta);
  if (available + delta < 0 || isTooLarge) {
    const why = isTooLarge ? `a stock is at most ${MAX_STOCK}` : `there are only ${available} at the location`;
    errors.push({ field, code: 'out_of_range', message: `${field}: ${why}` });
    return;
  }
  levels.change(productId, locationId, delta);
}

type AdjustmentLine = AdjustmentInput['lines'][number] & { location_id: number };

/** Returns the line with its effect, which later lines of the same product see. */
function adjusted(
  stock: LockedStock,
  held: ReadonlySet<number>,
  { product_id, location_id, delta: given, set_to }: AdjustmentLine,
  field: string,
  errors: FieldError[],
): queries.AdjustmentRow['lines'][number] {
  const before = errors.length;
  if (given === undefined && set_to === undefined) {
    errors.push({ field: `${field}.delta`, code: 'required', message: `${field} needs delta or set_to` });
  } else if (given !== undefined && set_to !== undefined) {
    errors.push({ field: `${field}.set_to`, code: 'not_allowed', message: `${field} has either delta or set_to` });
  }
  if (!held.has(location_id)) errors.push(unknownLocation(`${field}.location_id`));
  isCounted(stock, product_id, field, errors);
  if (errors.length > before) return { product_id, location_id, delta: 0, available: 0 };
  const { levels } = stock;
  const delta = given ?? set_to! - levels.available(product_id, location_id);
  const move = { productId: product_id, locationId: location_id, delta };
  add(stock, move, `${field}.${given === undefined ? 'set_to' : 'delta'}`, errors);
  return { product_id, location_id, delta, available: levels.available(product_id, location_id) };
}

function adjustmentRecord(row: queries.AdjustmentRow): Adjustment {
  return { ...row, created_at: row.created_at.toISOString() };
}

function receiptRecord(row: queries.ReceiptRow, { exponent }: Shop): Receipt {
  const lines = row.lines.map((line) => {
    return { ...line, unit_cost: line.unit_cost === null ? null : fromMinor(line.unit_cost, exponent) };
  });
  return { ...row, lines, created_at: row.created_at.toISOString() };
}
