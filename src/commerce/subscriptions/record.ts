import { fromMinor } from '../money.ts';
import type { OrderRequest } from '../orders/placing/request.ts';
import type { Shop } from '../shop.ts';
import type { Subscription } from './contract.ts';
import type { Change, SubscriptionRow } from './queries.ts';
import type { Schedule } from './schedule.ts';

/** A subscription as the API returns it. */
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
    saved_method_id: row.saved_method_id,
    payment_attempts: row.payment_attempts,
    cancelled_at: row.cancelled_at?.toISOString() ?? null,
    cancel_reason: row.cancel_reason,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function scheduleOf(row: SubscriptionRow): Schedule {
  return { anchor: row.anchor, unit: row.unit, interval: row.interval };
}

/** Returns the row's current values, as the base of a change. */
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
    savedMethodId: row.saved_method_id,
    paymentAttempts: row.payment_attempts,
    chargeId: row.charge_id,
    resumeOn: row.resume_on,
    pauseReason: row.pause_reason,
    cancelledAt: row.cancelled_at,
    cancelReason: row.cancel_reason,
  };
}

/** Returns the order request of the subscription's next renewal. */
export function orderRequest(row: SubscriptionRow, actor: string, now: Date): OrderRequest {
  return {
    customerId: row.customer_id,
    items: [{ product_id: row.product_id, qty: row.quantity, price: row.price }],
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
    locationId: null,
    externalId: null,
    metadata: {},
    custom: null,
    subscriptionId: row.id,
    cart: null,
    payments: [],
    origin: 'subscription',
    actor,
    correlation: null,
    now,
  };
}
