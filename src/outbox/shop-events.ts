import Type, { type TProperties, type TSchema } from 'typebox';
import { Nullable } from '../lib/schemas.ts';

/** What an event of the shop is about, and its `event_data`. */
export interface ShopEventType {
  summary: string;
  data: TSchema;
}

const TextId = (of: string) => Type.String({ description: `The id of the ${of}, as text` });
const Amount = Type.Number({ description: "In the shop's currency" });
const NetAmount = Type.Optional(
  Type.Number({
    description: 'The part of `amount` that belongs to the total of the order: without what was paid too much',
  }),
);
const Currency = Type.String({ minLength: 3, maxLength: 3 });

/** Personal fields, like all that are not in IMPERSONAL_FIELDS, are absent or null once the customer is erased. */
const person = {
  email: Type.Optional(Nullable(Type.String())),
  first_name: Type.Optional(Type.String()),
  last_name: Type.Optional(Type.String()),
};

const customer = {
  customer_id: TextId('customer'),
  ...person,
  phone: Type.Optional(Nullable(Type.String())),
  accepts_marketing: Type.Optional(Type.Boolean()),
};

const order = {
  order_id: TextId('order'),
  customer_id: TextId('customer'),
  ...person,
  total: Amount,
  subtotal: Amount,
  discount: Amount,
  shipping: Amount,
  tax: Amount,
  currency: Currency,
  promo_code: Nullable(Type.String()),
  is_subscription: Type.Boolean(),
  origin: Type.Optional(Nullable(Type.String({ description: 'store, api, staff or subscription; null: imported' }))),
  shipping_method: Nullable(Type.String({ description: 'The name of the method that the order was placed with' })),
  shipping_address: Type.Optional(Type.String()),
  shipping_city: Type.Optional(Type.String()),
  shipping_state: Type.Optional(Type.String()),
  shipping_zip: Type.Optional(Type.String()),
  shipping_country: Type.Optional(Type.String({ description: 'ISO 3166 alpha-2' })),
};

const subscription = {
  subscription_id: TextId('subscription'),
  plan: Type.String({ description: 'The name of the frequency' }),
  customer_id: TextId('customer'),
  ...person,
  product_id: TextId('product'),
  quantity: Type.Integer({ minimum: 1 }),
};

const Reason = Type.Optional(Nullable(Type.String()));
const cycle = { cycle_date: Type.String({ format: 'date' }), reason: Reason };

const item = {
  product_id: TextId('product'),
  name: Type.String(),
  price: Amount,
  quantity: Type.Integer({ minimum: 1 }),
  parent_id: Type.Optional(Nullable(Type.String({ description: 'The id, as text, of the parent of a variant' }))),
  sku: Type.Optional(Nullable(Type.String())),
  variant_title: Type.Optional(Nullable(Type.String({ description: 'The option values of a variant: Red / M' }))),
};
const Items = Type.Array(Type.Object(item));

const Choice = Type.Optional(
  Nullable(Type.Boolean({ description: "The buyer's choice in the cart; null: not asked" })),
);

const cart = {
  cart_id: TextId('cart'),
  customer_id: Type.Optional(Type.String({ description: 'The id of the customer, as text; absent for a guest' })),
  ...person,
  accepts_marketing: Choice,
  cart_total: Amount,
  currency: Currency,
  items: Type.Array(
    Type.Object({
      ...item,
      image: Type.Optional(Nullable(Type.String({ description: 'URL of its first picture' }))),
    }),
  ),
};

/** By a payment service. */
const payment = {
  customer_id: Type.Optional(TextId('customer, absent for a guest')),
  ...person,
  cart_id: Type.Optional(TextId('cart, absent for an order that was placed without one')),
  order_id: Type.Optional(TextId('order, absent while there is none')),
  payment_id: TextId('payment'),
  method: Type.String({ description: 'The name of the payment method' }),
  amount: Amount,
  currency: Currency,
  code: Nullable(Type.String({ description: 'Why it was declined' })),
  pay_url: Type.Optional(
    Type.String({ description: 'Where the cart or order can be paid; absent once the customer is erased' }),
  ),
};

function eventType(summary: string, data: TProperties): ShopEventType {
  return { summary, data: Type.Object(data) };
}

/** The events that the program itself writes to the outbox: stored for the contact, and sent to webhook endpoints. By event type. */
export const SHOP_EVENTS = {
  order_placed: eventType('An order was placed, by a customer or as the renewal of a subscription', {
    ...order,
    cart_id: Type.Optional(Nullable(Type.String({ description: 'The cart that it was placed from' }))),
    guest: Type.Optional(Type.Boolean({ description: 'Whether the buyer was not signed in' })),
    accepts_marketing: Choice,
    items: Type.Array(Type.Object({ ...item, categories: Type.Array(Type.String()) })),
  }),
  payment_pending: eventType('A cart is reserved until its buyer has paid by a manual method', {
    customer_id: Type.Optional(TextId('customer, absent for a guest')),
    ...person,
    cart_id: TextId('cart'),
    payment_id: TextId('payment'),
    method: Type.String({ description: 'The name of the payment method' }),
    amount: Amount,
    currency: Currency,
    reference: Nullable(Type.String({ description: 'What the buyer states with the transfer' })),
    due_on: Nullable(Type.String({ format: 'date', description: 'The reservation ends then' })),
    instructions: Nullable(Type.String({ description: 'Of the payment method' })),
  }),
  payment_failed: eventType('A payment failed while the buyer was not there to see it', payment),
  payment_returned: eventType(
    'Money came after its reservation had ended, or of another amount or currency, and was given back',
    payment,
  ),
  payment_disputed: eventType('The buyer has a payment of an order charged back', {
    ...order,
    payment_id: TextId('payment'),
    amount: Amount,
    net_amount: NetAmount,
  }),
  order_paid: eventType('The whole total of an order was received', { ...order, items: Items }),
  order_refunded: eventType('Money of an order was given back', {
    ...order,
    refund_id: Nullable(
      Type.String({ description: 'The id of the refund, as text; null: made at the payment service' }),
    ),
    amount: Amount,
    net_amount: NetAmount,
    reason: Reason,
    items: Items,
  }),
  order_refund_reversed: eventType('Money that was given back has returned to the shop', {
    ...order,
    payment_id: TextId('payment'),
    amount: Amount,
    net_amount: NetAmount,
    cause: Type.String({ description: '`refund_failed`: the refund failed afterwards; `dispute_won`' }),
  }),
  order_shipped: eventType('An order was shipped', {
    ...order,
    tracking_number: Type.Optional(Nullable(Type.String())),
    carrier: Type.Optional(Nullable(Type.String())),
    items: Items,
  }),
  order_completed: eventType('An order was delivered', { ...order, items: Items }),
  order_cancelled: eventType('An order was cancelled', { ...order, items: Items }),
  checkout_started: eventType('A cart with products got its first e-mail address or customer', cart),
  cart_abandoned: eventType(
    'A cart was left for the time in the checkout settings, and its buyer has not ordered since',
    {
      ...cart,
      recover_url: Type.Optional(
        Nullable(
          Type.String({
            description:
              'A link to the storefront with the same products; null: no `store_url` is set; absent once the customer is erased',
          }),
        ),
      ),
    },
  ),
  product_viewed: eventType('A visitor who is signed in, or has given an address, viewed a product in the store', {
    customer_id: Type.Optional(Type.String({ description: 'The id of the customer, as text; absent for a guest' })),
    ...person,
    product_id: TextId('product'),
    product_name: Type.String(),
    parent_id: Nullable(Type.String({ description: 'The id, as text, of the parent of a variant' })),
    price: Amount,
    currency: Currency,
    image: Nullable(Type.String({ description: 'URL of its first picture' })),
  }),
  customer_created: eventType('A customer was created', customer),
  customer_updated: eventType("A customer's name, address, phone or consent changed", {
    ...customer,
    changed: Type.Optional(Type.Array(Type.String(), { description: 'The names of the fields that changed' })),
  }),
  customer_merged: eventType('A customer was merged into another, which is named first', {
    customer_id: TextId('customer'),
    merged_customer_id: Type.String({ description: 'The id, as text, of the merged customer' }),
  }),
  subscription_created: eventType('A subscription was started', subscription),
  subscription_scheduled: eventType("The date of a subscription's next order changed", {
    ...subscription,
    next_billing_date: Nullable(Type.String({ format: 'date' })),
  }),
  subscription_renewed: eventType('A subscription placed its order', { ...subscription, ...cycle }),
  subscription_past_due: eventType('The order of a subscription failed and will be retried', {
    ...subscription,
    ...cycle,
  }),
  subscription_payment_failed: eventType('The payment for the order of a subscription failed', {
    ...subscription,
    ...cycle,
    attempt: Type.Integer({ description: 'How many payments for this date have failed' }),
    retry_on: Nullable(Type.String({ format: 'date', description: 'When it is tried again; null: not any more' })),
    payment_id: TextId('payment'),
    amount: Amount,
    currency: Currency,
    pay_url: Type.Optional(
      Nullable(
        Type.String({
          description: 'Where the order can be paid; null: not any more; absent once the customer is erased',
        }),
      ),
    ),
  }),
  subscription_skipped: eventType('A subscription skipped a cycle, because its order kept failing', {
    ...subscription,
    ...cycle,
  }),
  subscription_paused: eventType('A subscription was paused, by request or because its orders kept failing', {
    ...subscription,
    cycle_date: Type.Optional(cycle.cycle_date),
    reason: Reason,
  }),
  subscription_cancelled: eventType('A subscription was cancelled', { ...subscription, reason: Reason }),
  payment_method_expiring: eventType('A saved payment method expires within 30 days', {
    customer_id: TextId('customer'),
    ...person,
    saved_method_id: TextId('saved payment method'),
    method: Type.String({ description: 'Such as Visa •••• 4242; empty once it was removed' }),
    expires_on: Type.String({ format: 'date', description: 'The last day on which it is valid' }),
  }),
  list_joined: eventType('A contact became an active member of a list, other than by an import', {
    contact_id: Type.Integer(),
    list_id: Type.Integer(),
    list_name: Type.String(),
  }),
  segment_joined: eventType('A contact came into a segment that a flow waits for', {
    contact_id: Type.Integer(),
    segment_id: Type.Integer(),
    segment_name: Type.String(),
  }),
  date_reached: eventType('A date of a contact was reached, for a flow with that trigger', {
    contact_id: Type.Integer(),
    flow_id: Type.Integer(),
    date_field: Type.String({ description: 'Of the trigger, such as contact.properties.birthday' }),
    date: Type.String({ format: 'date', description: 'The date, or its anniversary, that `days` counts from' }),
    days: Type.Integer({ description: 'After the date; below 0: before it' }),
    years: Type.Integer({ description: 'Between the date and its anniversary; 0 for a trigger that is not yearly' }),
  }),
  loyalty_adjusted: eventType("A customer's points were adjusted by hand", {
    customer_id: TextId('customer'),
    ...person,
    points: Type.Integer({ description: 'Positive or negative' }),
    balance: Type.Integer(),
    reason: Reason,
  }),
  stock_low: eventType("A product's stock fell to the number at which it is low, or below", {
    product_id: TextId('product'),
    name: Type.String(),
    sku: Nullable(Type.String()),
    stock_qty: Type.Integer(),
    low_stock_at: Type.Integer(),
  }),
} as const satisfies Record<string, ShopEventType>;

export type ShopTopic = keyof typeof SHOP_EVENTS;
