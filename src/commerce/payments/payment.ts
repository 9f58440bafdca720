import { dateIn } from '../../lib/time-zones/time-zones.ts';
import type { Minor } from '../money.ts';
import type { PaymentMethod } from './methods/method.ts';

/** `action_required`: money by a manual method is awaited; `cancelled`: no money will be taken. */
export const PAYMENT_STATUSES = ['action_required', 'cancelled'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

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
  status: PaymentStatus;
  /** What the buyer states with the transfer. */
  reference: string | null;
  /** `YYYY-MM-DD`; null if the order does not wait for the money. */
  due_on: string | null;
  created_at: Date;
  updated_at: Date;
}

/** Returns the payment of a cart by a manual method. `reservedUntil`: until when the money is awaited; null if the order is placed at once. */
export function manualPayment(
  { id: method_id, provider, kind, name: label }: PaymentMethod,
  { id, cartId, amount, reservedUntil }: { id: number; cartId: number; amount: Minor; reservedUntil: Date | null },
  { timeZone, now }: { timeZone: string; now: Date },
): PaymentRow {
  return {
    id,
    cart_id: cartId,
    order_id: null,
    method_id,
    provider,
    label,
    amount,
    status: 'action_required',
    reference: kind === 'bank_transfer' ? `PAY-${id}` : null,
    due_on: reservedUntil === null ? null : dateIn(timeZone, reservedUntil),
    created_at: now,
    updated_at: now,
  };
}
