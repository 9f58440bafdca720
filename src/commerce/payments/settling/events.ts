import type { OutboxEvent } from '../../../outbox/service.ts';
import { fromMinor } from '../../money.ts';
import { disputedEvent, type OrderWithItems, refundedEvent, refundReversedEvent } from '../../orders/service.ts';
import type { Shop } from '../../shop.ts';
import type { NewEntry } from '../books.ts';
import type { PaymentRow } from '../payment.ts';

/** Who writes what a service said. */
export const ACTOR = 'worker:payments';

/** The buyer of a cart or order. */
export interface SettledBuyer {
  customerId: number | null;
  email: string;
  first_name: string;
  last_name: string;
}

export type PaymentTopic = 'payment_failed' | 'payment_returned';

/** Returns the event of a payment that failed while the buyer was not there, or whose money pays no order and was given back. */
export function paymentEvent(
  shop: Shop,
  topic: PaymentTopic,
  { payment, buyer, payUrl, now }: { payment: PaymentRow; buyer: SettledBuyer; payUrl: string; now: Date },
): OutboxEvent {
  const { customerId, email, first_name, last_name } = buyer;
  return {
    topic,
    payload: {
      ...(customerId === null ? {} : { customer_id: String(customerId) }),
      email,
      first_name,
      last_name,
      ...(payment.cart_id === null ? {} : { cart_id: String(payment.cart_id) }),
      ...(payment.order_id === null ? {} : { order_id: String(payment.order_id) }),
      payment_id: String(payment.id),
      method: payment.label,
      amount: fromMinor(payment.amount, shop.exponent),
      currency: shop.currency,
      code: payment.failure?.code ?? null,
      pay_url: payUrl,
    },
    occurredAt: now,
  };
}

interface Entered {
  order: OrderWithItems;
  customer: Parameters<typeof refundedEvent>[1];
  shop: Shop;
  /** Of refunds, by id. */
  reasons: ReadonlyMap<number, string | null>;
  now: Date;
}

/** Returns the events of new entries: money that a service sent back or that was charged back, and such money that has returned. */
export function entryEvents(
  { order, customer, shop, reasons, now }: Entered,
  entries: readonly NewEntry[],
): OutboxEvent[] {
  return entries.flatMap(({ kind, amount, net, payment_id, refund_id }) => {
    if (kind === 'chargeback') {
      return [disputedEvent(order, customer, shop, { paymentId: payment_id!, amount: -amount, net, occurredAt: now })];
    }
    if (kind === 'refund_reversed' || kind === 'chargeback_reversed') {
      const cause = kind === 'refund_reversed' ? 'refund_failed' : 'dispute_won';
      const reversal = { paymentId: payment_id!, cause, amount, net: -net, occurredAt: now } as const;
      return [refundReversedEvent(order, customer, shop, reversal)];
    }
    if (kind !== 'refund') return [];
    const reason = refund_id === null ? null : (reasons.get(refund_id) ?? null);
    return [refundedEvent(order, customer, shop, { id: refund_id, amount: -amount, net, reason, created_at: now })];
  });
}
