import type { OutboxEvent } from '../../outbox/service.ts';
import { fromMinor } from '../money.ts';
import type { OrderRequest } from '../orders/placing/order-request.ts';
import type { Quote } from '../orders/placing/quote-order.ts';
import type { Shop } from '../shop.ts';
import type { Subscription, Upcoming } from './contract.ts';
import type { Change, SubscriptionRow } from './queries.ts';
import type { Schedule } from './schedule.ts';

/** The record of the interface. */
export function subscriptionRecord(row: SubscriptionRow, shop: Shop): Subscription {
  return {
    id: row.id,
    customer_id: row.customer_id,
    product_id: row.product_id,
    frequency_id: row.frequency_id,
    frequency_name: row.frequency_name,
    quantity: row.quantity,
    price: fromMinor(row.price, shop.exponent),
    status: row.status,
    next_billing_date: row.next_billing_date,
    shipping_address: row.shipping_address,
    shipping_city: row.shipping_city,
    shipping_state: row.shipping_state,
    shipping_zip: row.shipping_zip,
    shipping_country: row.shipping_country,
    resume_on: row.resume_on,
    pause_reason: row.pause_reason,
    cancelled_at: row.cancelled_at?.toISOString() ?? null,
    cancel_reason: row.cancel_reason,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The preview of the order of `date`. */
export function upcomingRecord(
  row: SubscriptionRow,
  date: string,
  { quote, inStock }: { quote: Quote; inStock: boolean },
  followingDates: string[],
  shop: Shop,
): Upcoming {
  const money = (minor: number): number => fromMinor(minor, shop.exponent);
  const { priced } = quote;
  return {
    subscription_id: row.id,
    customer_id: row.customer_id,
    scheduled_date: date,
    frequency_id: row.frequency_id,
    frequency_name: row.frequency_name,
    items: priced.lines.map((line) => ({
      product_id: line.product_id,
      product_name: line.product_name,
      qty: line.qty,
      price: money(line.price),
      subtotal: money(line.subtotal),
    })),
    subtotal: money(priced.subtotal),
    discount: money(priced.discount),
    tax: money(priced.tax),
    shipping: money(priced.shipping),
    total: money(priced.total),
    shipping_address: row.shipping_address,
    shipping_city: row.shipping_city,
    shipping_state: row.shipping_state,
    shipping_zip: row.shipping_zip,
    shipping_country: row.shipping_country,
    in_stock: inStock,
    warnings: [
      ...(inStock ? [] : ['insufficient_stock']),
      ...(row.status === 'past_due' ? [`retried after ${row.attempts} failed attempts`] : []),
    ],
    following_dates: followingDates,
  };
}

export function scheduleOf(row: SubscriptionRow): Schedule {
  return { anchor: row.anchor, unit: row.unit, interval: row.interval };
}

/** The row's present state as a change that changes nothing. */
export function unchanged(row: SubscriptionRow): Change {
  return {
    id: row.id,
    status: row.status,
    quantity: row.quantity,
    frequencyId: row.frequency_id,
    anchor: row.anchor,
    nextDate: row.next_billing_date,
    dueAt: row.due_at,
    attempts: row.attempts,
    resumeOn: row.resume_on,
    pauseReason: row.pause_reason,
    cancelledAt: row.cancelled_at,
    cancelReason: row.cancel_reason,
  };
}

/** The order that a subscription stands for. */
export function orderRequest(row: SubscriptionRow, actor: string, now: Date): OrderRequest {
  return {
    customerId: row.customer_id,
    items: [{ product_id: row.product_id, qty: row.quantity }],
    address: {
      address: row.shipping_address,
      city: row.shipping_city,
      state: row.shipping_state,
      zip: row.shipping_zip,
      country: row.shipping_country,
    },
    promoCode: null,
    redeemPoints: 0,
    shippingMethodId: null,
    externalId: null,
    metadata: {},
    subscription: { id: row.id, price: row.price },
    actor,
    now,
  };
}

/** Tells of the date for which a subscription is set from now on. */
export function scheduledEvent(
  row: Pick<SubscriptionRow, 'id' | 'customer_id' | 'product_id' | 'frequency_name' | 'quantity'>,
  nextDate: string | null,
  customer: { email: string | null; first_name: string; last_name: string },
  occurredAt: Date,
): OutboxEvent {
  return subscriptionEvent('subscription_scheduled', row, customer, occurredAt, { next_billing_date: nextDate });
}

/** An event about a subscription, as the marketing side knows them: ids are texts there. */
export function subscriptionEvent(
  topic: string,
  row: Pick<SubscriptionRow, 'id' | 'customer_id' | 'product_id' | 'frequency_name' | 'quantity'>,
  customer: { email: string | null; first_name: string; last_name: string },
  occurredAt: Date,
  more: Record<string, unknown> = {},
): OutboxEvent {
  const payload = {
    subscription_id: String(row.id),
    plan: row.frequency_name,
    customer_id: String(row.customer_id),
    email: customer.email,
    first_name: customer.first_name,
    last_name: customer.last_name,
    product_id: String(row.product_id),
    quantity: row.quantity,
    ...more,
  };
  return { topic, payload, occurredAt };
}
