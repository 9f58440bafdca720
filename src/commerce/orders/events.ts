import type { OutboxEvent } from '../../outbox/service.ts';
import { fromMinor } from '../money.ts';
import type { Shop } from '../shop.ts';
import type { NewOrder } from './placing/decide.ts';
import type { OrderingCustomer } from './placing/snapshot.ts';
import type { OrderWithItems } from './queries.ts';
import type { ItemRow, OrderRow } from './record.ts';

/** The order_placed event of the marketing API: ids are strings, amounts in major units. */
export function placedEvent(order: NewOrder, customer: OrderingCustomer, shop: Shop): OutboxEvent {
  return {
    topic: 'order_placed',
    payload: {
      order_id: String(order.id),
      ...customerFields(customer),
      total: fromMinor(order.total, shop.exponent),
      subtotal: fromMinor(order.subtotal, shop.exponent),
      discount: fromMinor(order.discount, shop.exponent),
      currency: shop.currency,
      promo_code: order.promo_code,
      is_subscription: order.subscription_id !== null,
      items: order.items.map((item) => ({ ...itemOf(item, shop), categories: item.categories })),
    },
    occurredAt: order.created_at,
  };
}

function itemOf(
  item: Pick<ItemRow, 'product_id' | 'product_name' | 'price' | 'qty' | 'parent_id' | 'sku' | 'title'>,
  shop: Shop,
) {
  return {
    product_id: String(item.product_id),
    name: item.product_name,
    price: fromMinor(item.price, shop.exponent),
    quantity: item.qty,
    parent_id: item.parent_id === null ? null : String(item.parent_id),
    sku: item.sku,
    variant_title: item.title,
  };
}

function customerFields(customer: OrderingCustomer) {
  return {
    customer_id: String(customer.id),
    email: customer.email,
    first_name: customer.first_name,
    last_name: customer.last_name,
  };
}

/** Returns the event of a shipped order. */
export function shippedEvent(
  order: OrderWithItems,
  customer: OrderingCustomer,
  shop: Shop,
  parcel: { trackingNumber: string | null; carrier: string | null },
  occurredAt: Date,
): OutboxEvent {
  return {
    topic: 'order_shipped',
    payload: {
      order_id: String(order.id),
      ...customerFields(customer),
      total: fromMinor(order.total, shop.exponent),
      currency: shop.currency,
      tracking_number: parcel.trackingNumber,
      carrier: parcel.carrier,
      shipping_method: order.shipping_method,
      items: order.items.map((item) => itemOf(item, shop)),
    },
    occurredAt,
  };
}

/** Returns the event of a delivered or cancelled order. */
export function statusEvent(
  topic: 'order_completed' | 'order_cancelled',
  order: OrderRow,
  customer: OrderingCustomer,
  shop: Shop,
  occurredAt: Date,
): OutboxEvent {
  const total = fromMinor(order.total, shop.exponent);
  const payload = { order_id: String(order.id), ...customerFields(customer), total, currency: shop.currency };
  return { topic, payload, occurredAt };
}
