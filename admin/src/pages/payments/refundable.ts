import { fromMinor, toMinor } from '../../../../src/commerce/money.ts';
import { type RefundableLine, shareOf } from '../../../../src/commerce/payments/refunds/shares.ts';
import { digitsOf } from '../../ui/form/numbers.ts';

/** An order, as far as a refund concerns it. Amounts are in major units. */
interface Refundable {
  currency: string;
  total: number;
  items: { id: number; product_name: string; qty: number; subtotal: number; discount: number; tax: number }[];
}

/** What a refund has named already. */
interface Refunded {
  shipping: number;
  lines: { line_id: number; qty: number }[];
}

/** A line of an order, with what refunds may still name of it. */
export interface OpenLine {
  id: number;
  name: string;
  qty: number;
  /** Units that no refund has named. */
  left: number;
  /** What was charged for the next `n` units, in major units. */
  shareOf(n: number): number;
}

/** What of an order can still be named by a refund, computed as the server does. Amounts are in major units. */
export function openParts(order: Refundable, refunds: readonly Refunded[]): { lines: OpenLine[]; shipping: number } {
  const exponent = digitsOf(order.currency);
  const minor = (amount: number): number => toMinor(amount, exponent) ?? 0;
  const named = refunds.flatMap(({ lines }) => lines);
  const known = order.items.map(({ id, product_name, qty, subtotal, discount, tax }) => {
    const refunded = named.reduce((sum, line) => (line.line_id === id ? sum + line.qty : sum), 0);
    const line: RefundableLine = {
      id,
      qty,
      subtotal: minor(subtotal),
      discount: minor(discount),
      tax: minor(tax),
      refunded,
    };
    return { line, name: product_name };
  });
  const charged = known.reduce((sum, { line }) => sum + line.subtotal - line.discount + line.tax, 0);
  const shippedBack = refunds.reduce((sum, { shipping }) => sum + minor(shipping), 0);
  return {
    lines: known.map(({ line, name }) => ({
      id: line.id,
      name,
      qty: line.qty,
      left: line.qty - line.refunded,
      shareOf: (n) => fromMinor(shareOf(line, n), exponent),
    })),
    shipping: fromMinor(minor(order.total) - charged - shippedBack, exponent),
  };
}
