import Type, { type Static } from 'typebox';
import { Checkout, PayInput } from '../../commerce/carts/contract.ts';
import { Order } from '../../commerce/orders/contract.ts';
import { CheckoutPayment, Payment } from '../../commerce/payments/contract.ts';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, Nullable } from '../../lib/schemas.ts';

const { properties: order } = Order;

/** What its buyer sees of an order. */
export const StoreOrder = Type.Object({
  id: order.id,
  status: order.status,
  subtotal: order.subtotal,
  discount: order.discount,
  tax: order.tax,
  shipping: order.shipping,
  total: order.total,
  currency: order.currency,
  tracking_number: order.tracking_number,
  items: order.items,
  shipping_address: order.shipping_address,
  shipping_city: order.shipping_city,
  shipping_state: order.shipping_state,
  shipping_zip: order.shipping_zip,
  shipping_country: order.shipping_country,
  shipping_method: order.shipping_method,
  tax_lines: order.tax_lines,
  promo_code: order.promo_code,
  points_redeemed: order.points_redeemed,
  subscription_id: order.subscription_id,
  guest: order.guest,
  billing: order.billing,
  payment_status: order.payment_status,
  paid: order.paid,
  refunded: order.refunded,
  balance: order.balance,
  is_subscription: order.is_subscription,
  created_at: order.created_at,
  updated_at: order.updated_at,
});
export type StoreOrder = Static<typeof StoreOrder>;

const FOR_STAFF = ['account_id', 'attention', 'wrong', 'dispute_due_by'] as const;
const StorePayment = Type.Omit(Payment, FOR_STAFF);
export type StorePayment = Static<typeof StorePayment>;

export const StoreCheckout = Type.Object({
  ...Checkout.properties,
  order: Nullable(StoreOrder),
  payment: Nullable(Type.Omit(CheckoutPayment, FOR_STAFF)),
});
export type StoreCheckout = Static<typeof StoreCheckout>;

export const getOrder = {
  method: 'GET',
  path: '/order',
  scope: 'store',
  tokens: ['order'],
  tag: 'Orders',
  summary: 'Read an order by its token',
  mayFindNothing: true,
  data: Type.Object({ ...StoreOrder.properties, payments: Type.Array(StorePayment) }),
  status: 200,
} as const satisfies Endpoint;

export const lookUpOrder = {
  method: 'POST',
  path: '/orders/lookup',
  scope: 'store',
  limitedBy: 'store_sign_ins',
  tag: 'Orders',
  summary: 'Ask for the link to an order',
  description:
    'If the order exists and is that of the address, mails `store_url` of the checkout settings with the order token behind `#order=`, at most once an hour. Without a `store_url` nothing is mailed. The response is the same for every order and address, and takes equally long.',
  body: Type.Object({ order_id: Id, email: Type.String({ minLength: 3, maxLength: 254 }) }),
  data: Type.Object({ sent: Type.Boolean({ description: 'Always true' }) }),
  status: 200,
} as const satisfies Endpoint;

export const payOrder = {
  method: 'POST',
  path: '/order/pay',
  scope: 'store',
  tokens: ['order', 'customer'],
  limitedBy: 'store_pays',
  tag: 'Orders',
  summary: 'Pay what is owed for an order',
  description:
    'By another method than before, if money is awaited already. The order token is needed; with `saved_method_id`, also that of the customer of the order, who is signed in. The response is that of `POST /cart/pay`.',
  body: Type.Object({
    method_id: Type.Optional(Id),
    saved_method_id: PayInput.properties.saved_method_id,
    return_url: PayInput.properties.return_url,
  }),
  mayFindNothing: true,
  repeatable: true,
  data: StoreCheckout,
  status: 200,
} as const satisfies Endpoint;

export type PayOrderInput = Static<typeof payOrder.body>;

export const storeOrderEndpoints: readonly Endpoint[] = [getOrder, lookUpOrder, payOrder];
