import { dateIn } from '../../lib/time-zones/time-zones.ts';
import type { Minor } from '../money.ts';
import type { PaymentMethod } from './methods/method.ts';
import type { PaymentStatus } from './status.ts';

/** An attempt to pay a cart or an order by one method. */
export interface PaymentRow {
  id: number;
  cart_id: number | null;
  /** Null until the order is placed. */
  order_id: number | null;
  method_id: number;
  provider: PaymentMethod['provider'];
  /** The name of the method at that time. */
  label: string;
  amount: Minor;
  /** What was received. */
  captured: Minor;
  /** What was given back of it. */
  refunded: Minor;
  status: PaymentStatus;
  /** What the buyer states with the transfer. */
  reference: string | null;
  /** `YYYY-MM-DD`; null if the order does not wait for the money. */
  due_on: string | null;
  created_at: Date;
  updated_at: Date;
}

/** What a payment is for: a cart, an order, or the order of a cart. */
export interface Payable {
  cartId: number | null;
  orderId: number | null;
  amount: Minor;
  /** Until when the money is awaited; null if no reservation depends on it. */
  reservedUntil: Date | null;
}

/** Returns a payment by a manual method whose money is awaited. */
export function awaitedPayment(
  { id: method_id, provider, kind, name: label }: PaymentMethod,
  id: number,
  { cartId, orderId, amount, reservedUntil }: Payable,
  { timeZone, now }: { timeZone: string; now: Date },
): PaymentRow {
  return {
    id,
    cart_id: cartId,
    order_id: orderId,
    method_id,
    provider,
    label,
    amount,
    captured: 0,
    refunded: 0,
    status: 'action_required',
    reference: kind === 'bank_transfer' ? `PAY-${id}` : null,
    due_on: reservedUntil === null ? null : dateIn(timeZone, reservedUntil),
    created_at: now,
    updated_at: now,
  };
}
