import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db } from '../../../db/pool.ts';
import { AppError, type FieldError, found, invalidField, validationFailed } from '../../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../../lib/paging.ts';
import { correlationOf } from '../../../lib/tracing/correlation.ts';
import { enqueue } from '../../../outbox/service.ts';
import { readAmount } from '../../fields.ts';
import { returnStock } from '../../inventory/stock.ts';
import { fromMinor, type Minor } from '../../money.ts';
import { findOrder, holdOrder, refundedEvent } from '../../orders/service.ts';
import type { Shop, ShopCache } from '../../shop.ts';
import { openBooks } from '../open.ts';
import { saveBooks } from '../queries.ts';
import type { Refund, RefundInput } from './contract.ts';
import * as queries from './queries.ts';
import { divide, type PaidBack, type RefundableLine, refundable, shareOf } from './shares.ts';

export type RefundsService = ReturnType<typeof createRefundsService>;

/** Gives money back. See docs/design/payments.md. */
export function createRefundsService({ db, shops }: { db: Db; shops: ShopCache }) {
  return {
    /** Newest first. Throws not_found for an unknown order. */
    async listRefunds(companyId: number, orderId: number, query: PageQuery): Promise<Page<Refund>> {
      const [shop, page] = [await shops.get(companyId), pageOf(query)];
      const lane = db.lists(companyId);
      const { rows, total } = await queries.listRefunds(lane, companyId, orderId, page);
      if (total === 0) found(await findOrder(lane, companyId, orderId), 'order');
      return { rows: rows.map((row) => refundRecord(row, shop)), total, ...page };
    },

    /** Throws not_found, validation_failed, not_refundable, amount_too_large. */
    async createRefund(caller: Caller, orderId: number, input: RefundInput): Promise<Refund> {
      const { companyId, actor, now } = caller;
      const shop = await shops.get(companyId);
      const given = readInput(input, shop);
      return write(db, caller, async (tx) => {
        const { order, buyer } = found(await holdOrder(tx, companyId, orderId), 'order');
        const books = await openBooks(tx, shop, order, caller);
        const [lines, shippedBack, id] = await Promise.all([
          queries.findRefundableLines(tx, companyId, orderId),
          queries.sumShipping(tx, companyId, orderId),
          queries.drawRefundId(tx),
        ]);
        const named = namedLines(input, lines, order.status === 'cancelled');
        const shares = named.reduce((sum, { amount }) => sum + amount, 0);
        const charged = lines.reduce((sum, line) => sum + line.subtotal - line.discount + line.tax, 0);
        const forShipping = order.total - charged - shippedBack;
        if (given.shipping > forShipping) {
          const message = `At most ${fromMinor(forShipping, shop.exponent)} was charged for shipping and not given back`;
          throw invalidField('shipping', message, 'out_of_range');
        }
        const amount = given.amount ?? shares + given.shipping;
        if (amount === 0) throw invalidField('amount', 'Nothing is to be refunded', 'required');
        if (amount < given.shipping) throw invalidField('amount', 'amount is less than shipping', 'out_of_range');
        const parts = divide(amount, books.payments);
        if (parts === null) {
          const available = fromMinor(refundable(books.payments), shop.exponent);
          if (available === 0) throw new AppError('not_refundable', 'There is no money to give back', { available });
          throw new AppError('amount_too_large', `At most ${available} can be refunded`, { available });
        }
        const to = targetOf(input, parts);
        books.refund(id, parts, to);
        const isPending = books.operations.length > 0;
        const refund: queries.RefundRow = {
          id,
          order_id: orderId,
          amount,
          shipping: given.shipping,
          reason: input.reason || null,
          to,
          status: isPending ? 'pending' : 'done',
          lines: named,
          actor,
          created_at: now,
        };
        await Promise.all([queries.insertRefund(tx, companyId, refund), ...saveBooks(tx, companyId, [books])]);
        const restocked = named.filter((line) => line.restocked > 0);
        if (restocked.length > 0) {
          const returned = restocked.map(({ line_id: lineId, restocked: qty }) => ({ lineId, qty }));
          await returnStock(tx, companyId, { orderId, lines: returned, kind: 'restock' }, caller);
        }
        // What a service sends is told once it says so.
        const sent = books.entries.filter(({ kind }) => kind === 'refund');
        const byHand = -sent.reduce((sum, entry) => sum + entry.amount, 0);
        if (byHand > 0) {
          const net = sent.reduce((sum, entry) => sum + entry.net, 0);
          const part = { id, amount: byHand, net, reason: refund.reason, created_at: now };
          const event = refundedEvent(order, buyer, shop, part);
          await enqueue(tx, companyId, [event], correlationOf(caller));
        }
        return refundRecord(refund, shop);
      });
    },
  };
}

/** Where the money goes. Throws validation_failed if money by manual methods is to be sent by a service. */
function targetOf({ to }: RefundInput, parts: readonly PaidBack[]): 'original' | 'manual' {
  const isByHand = parts.some(({ payment }) => payment.provider === 'manual');
  if (to === 'original' && isByHand) {
    throw invalidField('to', 'Money received by manual methods is paid back by hand', 'not_allowed');
  }
  return to ?? (parts.every(({ payment }) => payment.provider === 'manual') ? 'manual' : 'original');
}

/** Throws validation_failed for amounts with too many decimals. */
function readInput(input: RefundInput, shop: Shop): { amount: Minor | null; shipping: Minor } {
  const errors: FieldError[] = [];
  const amount = input.amount === undefined ? null : readAmount('amount', input.amount, shop, errors);
  const shipping = input.shipping === undefined ? 0 : readAmount('shipping', input.shipping, shop, errors);
  if (errors.length > 0) throw validationFailed(errors);
  return { amount, shipping };
}

/** The lines of the refund with their shares. Throws validation_failed with every failing line. */
function namedLines(
  { lines = [] }: RefundInput,
  known: readonly (RefundableLine & { tracked: boolean })[],
  isCancelled: boolean,
): queries.RefundLineRow[] {
  const errors: FieldError[] = [];
  const fail = (field: string, code: string, message: string): void => {
    errors.push({ field, code, message });
  };
  const seen = new Set<number>();
  const named = lines.flatMap(({ line_id, qty, restock = false }, i): queries.RefundLineRow[] => {
    const at = `lines.${i}`;
    const line = known.find(({ id }) => id === line_id);
    if (line === undefined) fail(`${at}.line_id`, 'unknown', `${at}.line_id is not a line of this order`);
    else if (seen.has(line_id)) fail(`${at}.line_id`, 'duplicate', `${at}.line_id is named twice`);
    else if (line.qty - line.refunded < qty) {
      fail(`${at}.qty`, 'out_of_range', `${at}.qty is more than the ${line.qty - line.refunded} units that are left`);
    } else if (restock && isCancelled) {
      fail(`${at}.restock`, 'not_allowed', 'The stock of a cancelled order has returned already');
    } else {
      seen.add(line_id);
      return [{ line_id, qty, amount: shareOf(line, qty), restocked: restock && line.tracked ? qty : 0 }];
    }
    return [];
  });
  if (errors.length > 0) throw validationFailed(errors);
  return named;
}

function refundRecord(row: queries.RefundRow, shop: Shop): Refund {
  const { amount, shipping, lines, created_at, ...fields } = row;
  return {
    ...fields,
    amount: fromMinor(amount, shop.exponent),
    shipping: fromMinor(shipping, shop.exponent),
    currency: shop.currency,
    lines: lines.map((line) => ({ ...line, amount: fromMinor(line.amount, shop.exponent) })),
    created_at: created_at.toISOString(),
  };
}
