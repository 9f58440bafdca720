import type { OutboxEvent } from '../../outbox/service.ts';
import { fromMinor, type Minor } from '../money.ts';
import type { PaymentRow } from '../payments/payment.ts';
import type { Shop } from '../shop.ts';
import type { NewOrder } from './placing/decide.ts';
import type { OrderRequest } from './placing/request.ts';
import type { OrderingCustomer } from './placing/snapshot.ts';
import type { OrderWithItems } from './queries.ts';
import type { ItemRow, OrderRow } from './record.ts';

/** The order_placed event of the marketing API: ids are strings, amounts in major units. */
export function placedEvent(order: NewOrder, customer: OrderingCustomer, shop: Shop): OutboxEvent {
  const items = order.items.map((item) => ({ ...itemOf(item, shop), categories: item.categories }));
  return {
    topic: 'order_placed',
    payload: {
      ...orderFields(order, customer, shop),
      cart_id: order.cart_id === null ? null : String(order.cart_id),
      guest: order.guest,
      accepts_marketing: order.acceptsMarketing,
      items,
    },
    occurredAt: order.created_at,
  };
}

/** Returns the event of a cart that is reserved until its buyer has paid. `customer` is absent for a guest whom the shop does not know. */
export function pendingEvent(
  payment: PaymentRow,
  { cart, customerId }: OrderRequest,
  customer: OrderingCustomer | undefined,
  shop: Shop,
): OutboxEvent {
  const { cart_id, method_id, amount, reference, due_on, created_at } = payment;
  const guest = cart?.guest ?? null;
  const method = shop.paymentMethods.find(({ id }) => id === method_id);
  return {
    topic: 'payment_pending',
    payload: {
      ...(guest === null ? { customer_id: String(customerId) } : {}),
      email: guest?.email ?? customer?.email ?? null,
      first_name: guest?.firstName ?? customer?.first_name ?? '',
      last_name: guest?.lastName ?? customer?.last_name ?? '',
      cart_id: String(cart_id),
      payment_id: String(payment.id),
      method: payment.label,
      amount: fromMinor(amount, shop.exponent),
      currency: shop.currency,
      reference,
      due_on,
      instructions: method?.instructions ?? null,
    },
    occurredAt: created_at,
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
      ...orderFields(order, customer, shop),
      tracking_number: parcel.trackingNumber,
      carrier: parcel.carrier,
      items: order.items.map((item) => itemOf(item, shop)),
    },
    occurredAt,
  };
}

/** Returns the event of a delivered or cancelled order. */
export function statusEvent(
  topic: 'order_completed' | 'order_cancelled',
  order: OrderWithItems,
  customer: OrderingCustomer,
  shop: Shop,
  occurredAt: Date,
): OutboxEvent {
  const items = order.items.map((item) => itemOf(item, shop));
  return { topic, payload: { ...orderFields(order, customer, shop), items }, occurredAt };
}

/** Returns the event of an order whose total has been received. */
export function paidEvent(
  order: OrderWithItems,
  customer: OrderingCustomer,
  shop: Shop,
  occurredAt: Date,
): OutboxEvent {
  const items = order.items.map((item) => itemOf(item, shop));
  return { topic: 'order_paid', payload: { ...orderFields(order, customer, shop), items }, occurredAt };
}

/** Returns the event of a refund; `id` is null if it was made at the payment service. */
export function refundedEvent(
  order: OrderWithItems,
  customer: OrderingCustomer,
  shop: Shop,
  refund: { id: number | null; amount: Minor; net: Minor; reason: string | null; created_at: Date },
): OutboxEvent {
  const { id, reason, created_at: occurredAt } = refund;
  const money = { refund_id: id === null ? null : String(id), ...amountsOf(refund, shop), reason };
  const items = order.items.map((item) => itemOf(item, shop));
  return { topic: 'order_refunded', payload: { ...orderFields(order, customer, shop), ...money, items }, occurredAt };
}

/** Returns the event of money that was given back and has returned: a refund failed afterwards, or a dispute was won. */
export function refundReversedEvent(
  order: OrderWithItems,
  customer: OrderingCustomer,
  shop: Shop,
  reversal: { paymentId: number; cause: 'refund_failed' | 'dispute_won'; amount: Minor; net: Minor; occurredAt: Date },
): OutboxEvent {
  const { paymentId, cause, occurredAt } = reversal;
  const money = { payment_id: String(paymentId), ...amountsOf(reversal, shop), cause };
  return { topic: 'order_refund_reversed', payload: { ...orderFields(order, customer, shop), ...money }, occurredAt };
}

/** Returns the event of a payment that was charged back. */
export function disputedEvent(
  order: OrderWithItems,
  customer: OrderingCustomer,
  shop: Shop,
  dispute: { paymentId: number; amount: Minor; net: Minor; occurredAt: Date },
): OutboxEvent {
  const { paymentId, occurredAt } = dispute;
  const money = { payment_id: String(paymentId), ...amountsOf(dispute, shop) };
  return { topic: 'payment_disputed', payload: { ...orderFields(order, customer, shop), ...money }, occurredAt };
}

function amountsOf({ amount, net }: { amount: Minor; net: Minor }, { exponent }: Shop) {
  return { amount: fromMinor(amount, exponent), net_amount: fromMinor(net, exponent) };
}

/** What every event of an order has. */
function orderFields(order: OrderRow, customer: OrderingCustomer, shop: Shop) {
  const money = (minor: number): number => fromMinor(minor, shop.exponent);
  return {
    order_id: String(order.id),
    customer_id: String(customer.id),
    email: customer.email,
    first_name: customer.first_name,
    last_name: customer.last_name,
    total: money(order.total),
    subtotal: money(order.subtotal),
    discount: money(order.discount),
    shipping: money(order.shipping),
    tax: money(order.tax),
    currency: shop.currency,
    promo_code: order.promo_code,
    is_subscription: order.subscription_id !== null,
    origin: order.origin,
    shipping_method: order.shipping_method,
    shipping_address: order.shipping_address,
    shipping_city: order.shipping_city,
    shipping_state: order.shipping_state,
    shipping_zip: order.shipping_zip,
    shipping_country: order.shipping_country,
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
