import type { Minor } from '../../money.ts';
import type { PaymentRow } from '../payment.ts';

/** What is given back of one payment. */
export interface PaidBack {
  payment: PaymentRow;
  amount: Minor;
}

/** A line of an order as far as a refund concerns it. Amounts are of the whole line. */
export interface RefundableLine {
  id: number;
  qty: number;
  subtotal: Minor;
  discount: Minor;
  tax: Minor;
  /** Units that refunds have named. */
  refunded: number;
}

/**
 * The share of `qty` further units of a line whose first `refunded` units were refunded before. The shares of all its units add up to
 * what was charged for the line.
 */
export function shareOf({ qty: units, subtotal, discount, tax, refunded }: RefundableLine, qty: number): Minor {
  const total = BigInt(subtotal - discount + tax);
  const upTo = (n: number): bigint => (total * BigInt(n) * 2n + BigInt(units)) / (BigInt(units) * 2n);
  return Number(upTo(refunded + qty) - upTo(refunded));
}

/** Divides an amount between the payments of an order, the newest first. Returns null if less was received, or if the rest was given back. */
export function divide(amount: Minor, payments: readonly PaymentRow[]): PaidBack[] | null {
  const parts: PaidBack[] = [];
  let rest = amount;
  for (const payment of payments.toReversed()) {
    const part = Math.min(rest, refundableOfOrder(payment));
    if (part > 0) parts.push({ payment, amount: part });
    rest -= Math.max(0, part);
  }
  return rest > 0 ? null : parts;
}

/** What can be given back of the payments of an order. */
export function refundable(payments: readonly PaymentRow[]): Minor {
  return payments.reduce((sum, payment) => sum + refundableOfOrder(payment), 0);
}

/** The same of one payment. Wrong money is not the order's. */
export function refundableOfOrder(payment: PaymentRow): Minor {
  return payment.wrong ? 0 : refundableOf(payment);
}

/** What can be given back of a payment. */
export function refundableOf({ captured, refunded, refund_pending, disputed }: PaymentRow): Minor {
  return Math.max(0, captured - refunded - refund_pending - disputed);
}
