import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { AppError, type FieldError, found, validationFailed } from '../../../errors.ts';
import { type Page, pageOf } from '../../../lib/paging.ts';
import { lockStock, writeMoves } from '../changes.ts';
import { MAX_STOCK } from '../levels.ts';
import type { StockMove } from '../stock.ts';
import type { Transfer, TransferInput, TransferPatch, TransferQuery, TransferReceived } from './contract.ts';
import { checkLocation, isCounted } from './lines.ts';
import * as queries from './queries.ts';
import { checkTransition, openQty, type TransferAction, type TransferLine } from './transfer-states.ts';

export type TransfersService = ReturnType<typeof createTransfersService>;

/**
 * Goods on their way from one location to another. While a transfer is open, its locations are not closed, so nothing but its own row has
 * to be locked before the stock.
 */
export function createTransfersService({ db }: { db: Db }) {
  /** Locks the transfer and runs `work` if the action is possible. */
  async function act(
    caller: Caller,
    id: number,
    action: TransferAction,
    work: (tx: Tx, old: queries.TransferRow) => Promise<queries.TransferRow>,
  ): Promise<Transfer> {
    return write(db, caller, async (tx) => {
      const old = found(await queries.lockTransfer(tx, caller.companyId, id), 'transfer');
      checkTransition(old.status, action);
      return record(await work(tx, old));
    });
  }

  return {
    /** The latest first. */
    async listTransfers(companyId: number, query: TransferQuery): Promise<Page<Transfer>> {
      const [lane, page] = [db.lists(companyId), pageOf(query)];
      const [total, rows] = await Promise.all([
        queries.countDocuments(lane, companyId, 'stock_transfers', query.status),
        queries.listTransfers(lane, companyId, query.status, page),
      ]);
      return { rows: rows.map(record), total, ...page };
    },

    /** Throws not_found. */
    async getTransfer(companyId: number, id: number): Promise<Transfer> {
      return record(found(await queries.findTransfer(db.points(companyId), companyId, id), 'transfer'));
    },

    /** Throws validation_failed. */
    async createTransfer(caller: Caller, input: TransferInput): Promise<Transfer> {
      return write(db, caller, async (tx) => {
        const values = await draftValues(tx, caller.companyId, { ...input, note: input.note || null });
        return record(await queries.insertTransfer(tx, caller.companyId, values, caller));
      });
    },

    /** Throws not_found, validation_failed, invalid_status_transition. */
    async updateTransfer(caller: Caller, id: number, patch: TransferPatch): Promise<Transfer> {
      return act(caller, id, 'change', async (tx, old) => {
        const { companyId, now } = caller;
        const values = await draftValues(tx, companyId, {
          from_location_id: patch.from_location_id ?? old.from_location_id,
          to_location_id: patch.to_location_id ?? old.to_location_id,
          note: patch.note === undefined ? old.note : patch.note || null,
          lines: patch.lines ?? old.lines,
        });
        return queries.updateTransfer(tx, companyId, id, { ...values, status: 'draft', sent_at: null }, now);
      });
    },

    /** Throws not_found, insufficient_stock, invalid_status_transition. */
    async sendTransfer(caller: Caller, id: number): Promise<Transfer> {
      return act(caller, id, 'send', async (tx, old) => {
        const { companyId, now } = caller;
        const source = old.from_location_id;
        const taken = (line: TransferLine): number => -line.qty;
        await move(tx, caller, old, source, taken);
        return queries.updateTransfer(tx, companyId, id, { ...old, status: 'in_transit', sent_at: now }, now);
      });
    },

    /** Throws not_found, validation_failed, invalid_status_transition. */
    async receiveTransfer(caller: Caller, id: number, { lines = [], complete }: TransferReceived): Promise<Transfer> {
      return act(caller, id, 'receive', async (tx, old) => {
        if (lines.length === 0 && complete !== true) {
          throw validationFailed([{ field: 'lines', code: 'required', message: 'lines or complete is required' }]);
        }
        const arrived = arrivedOf(old, lines);
        const indexOf = (line: TransferLine): number => lines.findIndex((one) => one.product_id === line.product_id);
        await move(tx, caller, old, old.to_location_id, (line) => arrived.get(line.product_id) ?? 0, indexOf);
        const received = old.lines.map((line): TransferLine => {
          const next = { ...line, received: line.received + (arrived.get(line.product_id) ?? 0) };
          return complete ? { ...next, missing: next.missing + openQty(next) } : next;
        });
        const isDone = received.every((line) => openQty(line) === 0);
        const values = { ...old, lines: received, status: isDone ? 'received' : 'in_transit' } as const;
        return queries.updateTransfer(tx, caller.companyId, id, values, caller.now);
      });
    },

    /** Throws not_found, validation_failed, invalid_status_transition. */
    async cancelTransfer(caller: Caller, id: number): Promise<Transfer> {
      return act(caller, id, 'cancel', async (tx, old) => {
        const isSent = old.status === 'in_transit';
        if (isSent) await move(tx, caller, old, old.from_location_id, openQty);
        const lines = isSent ? old.lines.map((line) => ({ ...line, returned: openQty(line) })) : old.lines;
        const values = { ...old, lines, status: 'cancelled' } as const;
        return queries.updateTransfer(tx, caller.companyId, id, values, caller.now);
      });
    },
  };
}

type DraftValues = Omit<queries.TransferValues, 'lines'> & { lines: readonly { product_id: number; qty: number }[] };

/** Checks the locations and products of a draft. Throws validation_failed. */
async function draftValues(tx: Tx, companyId: number, draft: DraftValues): Promise<queries.TransferValues> {
  const { from_location_id, to_location_id, note } = draft;
  const errors = await checkLocation(tx, companyId, { from_location_id, to_location_id });
  const fail = (field: string, code: string, why: string): void => {
    errors.push({ field, code, message: `${field} ${why}` });
  };
  if (from_location_id === to_location_id) fail('to_location_id', 'not_allowed', 'must be another location');
  const ids = draft.lines.map((line) => line.product_id);
  const stock = await lockStock(tx, companyId, ids);
  const lines = draft.lines.map(({ product_id, qty }, i): TransferLine => {
    isCounted(stock, product_id, `lines.${i}`, errors);
    if (ids.indexOf(product_id) < i) fail(`lines.${i}.product_id`, 'duplicate', 'occurs twice');
    return { product_id, qty, received: 0, missing: 0, returned: 0 };
  });
  if (errors.length > 0) throw validationFailed(errors);
  return { from_location_id, to_location_id, note, lines };
}

/**
 * Moves `deltaOf` each line at the location. Throws insufficient_stock with every line that lacks stock, and validation_failed with every
 * line whose stock would be too large; `indexOf` is its place in the request.
 */
async function move(
  tx: Tx,
  caller: Caller,
  transfer: queries.TransferRow,
  locationId: number,
  deltaOf: (line: TransferLine) => number,
  indexOf: (line: TransferLine) => number = (line) => transfer.lines.indexOf(line),
): Promise<void> {
  const { companyId, actor, now: at } = caller;
  const moves = transfer.lines
    .map((line): StockMove => {
      const delta = deltaOf(line);
      return { productId: line.product_id, locationId, kind: 'transfer', referenceId: transfer.id, delta, actor, at };
    })
    .filter(({ delta }) => delta !== 0);
  const stock = await lockStock(
    tx,
    companyId,
    moves.map(({ productId }) => productId),
  );
  const short = transfer.lines.flatMap((line, index) => {
    const available = stock.levels.available(line.product_id, locationId);
    const requested = -deltaOf(line);
    return available < requested ? [{ index, product_id: line.product_id, requested, available }] : [];
  });
  if (short.length > 0) throw new AppError('insufficient_stock', 'Not enough stock', { items: short });
  const tooLarge = transfer.lines
    .filter((line) => stock.levels.isTooLarge(line.product_id, locationId, deltaOf(line)))
    .map((line): FieldError => {
      const field = `lines.${indexOf(line)}.qty`;
      return { field, code: 'out_of_range', message: `${field}: a stock is at most ${MAX_STOCK}` };
    });
  if (tooLarge.length > 0) throw validationFailed(tooLarge);
  for (const { productId, delta } of moves) stock.levels.change(productId, locationId, delta);
  await writeMoves(tx, caller, stock, moves);
}

/** What has arrived, by product. Throws validation_failed where more arrives than is on its way. */
function arrivedOf(transfer: queries.TransferRow, lines: NonNullable<TransferReceived['lines']>): Map<number, number> {
  const errors: FieldError[] = [];
  const arrived = new Map<number, number>();
  for (const [i, { product_id, qty }] of lines.entries()) {
    const line = transfer.lines.find((one) => one.product_id === product_id);
    const sum = (arrived.get(product_id) ?? 0) + qty;
    if (line === undefined) {
      const field = `lines.${i}.product_id`;
      errors.push({ field, code: 'unknown', message: `${field} is not in the transfer` });
    } else if (sum > openQty(line)) {
      const field = `lines.${i}.qty`;
      errors.push({ field, code: 'out_of_range', message: `${field}: only ${openQty(line)} are on their way` });
    }
    arrived.set(product_id, sum);
  }
  if (errors.length > 0) throw validationFailed(errors);
  return arrived;
}

function record(row: queries.TransferRow): Transfer {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    sent_at: row.sent_at?.toISOString() ?? null,
  };
}
