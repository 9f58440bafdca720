import Type, { type Static } from 'typebox';
import { Cart, CartPatch, LineInput, PayInput } from '../../commerce/carts/contract.ts';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id } from '../../lib/schemas.ts';
import { StoreCheckout } from '../orders/contract.ts';

const { properties: cart } = Cart;
const { override_reason, ...line } = cart.lines.items.properties;

/** What its buyer sees of a cart. */
export const StoreCart = Type.Object({
  id: cart.id,
  status: cart.status,
  revision: cart.revision,
  email: cart.email,
  first_name: cart.first_name,
  last_name: cart.last_name,
  phone: cart.phone,
  lines: Type.Array(Type.Object(line)),
  promo_code: cart.promo_code,
  redeem_points: cart.redeem_points,
  shipping_address: cart.shipping_address,
  shipping_city: cart.shipping_city,
  shipping_state: cart.shipping_state,
  shipping_zip: cart.shipping_zip,
  shipping_country: cart.shipping_country,
  shipping_method_id: cart.shipping_method_id,
  billing: cart.billing,
  accepts_marketing: cart.accepts_marketing,
  custom: cart.custom,
  note: cart.note,
  currency: cart.currency,
  subtotal: cart.subtotal,
  discount: cart.discount,
  promo_discount: cart.promo_discount,
  points_discount: cart.points_discount,
  points_redeemed: cart.points_redeemed,
  shipping: cart.shipping,
  shipping_method: cart.shipping_method,
  shipping_methods: cart.shipping_methods,
  tax: cart.tax,
  tax_lines: cart.tax_lines,
  total: cart.total,
  estimated: cart.estimated,
  problems: cart.problems,
  payment: cart.payment,
  reserved_until: cart.reserved_until,
  order_id: cart.order_id,
  created_at: cart.created_at,
  updated_at: cart.updated_at,
});
export type StoreCart = Static<typeof StoreCart>;

const { customer_id, location_id, metadata, ...fields } = CartPatch.properties;
export const StoreCartPatch = Type.Object(fields);
export type StoreCartPatch = Static<typeof StoreCartPatch>;

const { product_id, qty } = LineInput.properties;
const Lines = Type.Array(Type.Object({ product_id, qty }), { maxItems: 200 });
export const StoreLines = Type.Object({ lines: Lines });
export type StoreLines = Static<typeof StoreLines>;

export const StoreCartInput = Type.Object({ lines: Type.Optional(Lines), ...fields });
export type StoreCartInput = Static<typeof StoreCartInput>;

const NewCart = Type.Object({ ...StoreCart.properties, token: Type.String({ description: 'For `X-Cart-Token`' }) });

const base = { scope: 'store', tokens: ['cart', 'customer'], tag: 'Carts', status: 200, mayFindNothing: true } as const;

export const createCart = {
  method: 'POST',
  path: '/cart',
  scope: 'store',
  tokens: ['customer'],
  tokensOptional: true,
  tag: 'Carts',
  summary: 'Create a cart',
  description:
    "Returns its token, which is shown only here: it is sent as `X-Cart-Token` from then on, and stands for the buyer. With a customer's token, it is their cart. Reserves nothing.",
  returnsSecret: true,
  body: StoreCartInput,
  bodyOptional: true,
  data: NewCart,
  status: 201,
} as const satisfies Endpoint;

export const recoverCart = {
  method: 'POST',
  path: '/cart/recover',
  scope: 'store',
  tokens: ['customer'],
  tokensOptional: true,
  tag: 'Carts',
  summary: 'Fill a new cart from a link',
  description:
    'From the link of a message about an abandoned cart: a new cart with its products, as far as they are still sold, and its promo code, without personal data.',
  returnsSecret: true,
  mayFindNothing: true,
  body: Type.Object({ token: Type.String({ maxLength: 200, description: 'The parameter `recover` of the link' }) }),
  data: NewCart,
  status: 201,
} as const satisfies Endpoint;

export const getCart = {
  ...base,
  method: 'GET',
  path: '/cart',
  summary: 'Read the cart',
  description:
    "Priced as an order of it would be now, until its payment begins. With a customer's token alone, it is the customer's newest open cart.",
  data: StoreCart,
} as const satisfies Endpoint;

export const updateCart = {
  ...base,
  method: 'PATCH',
  path: '/cart',
  summary: 'Change the cart',
  description: 'Null clears a field. Only open carts can be changed.',
  body: StoreCartPatch,
  conditional: true,
  data: StoreCart,
} as const satisfies Endpoint;

export const addCartLines = {
  ...base,
  method: 'POST',
  path: '/cart/lines',
  summary: 'Add products to the cart',
  description: 'A product occurs once: adding it again adds to its quantity. All lines are added, or none.',
  body: StoreLines,
  data: StoreCart,
} as const satisfies Endpoint;

const LineParams = Type.Object({ id: Id });

export const updateCartLine = {
  ...base,
  method: 'PATCH',
  path: '/cart/lines/{id}',
  summary: 'Change the quantity of a line',
  params: LineParams,
  body: Type.Object({ qty }),
  data: StoreCart,
} as const satisfies Endpoint;

export const removeCartLine = {
  ...base,
  method: 'DELETE',
  path: '/cart/lines/{id}',
  summary: 'Remove a line from the cart',
  params: LineParams,
  mayRefuse: true,
  data: StoreCart,
} as const satisfies Endpoint;

export const StorePayInput = Type.Object({
  ...PayInput.properties,
  save_method: Type.Optional(
    Type.Boolean({
      description:
        'Whether the payment service keeps the means of payment for later; only for the customer of the cart, signed in',
    }),
  ),
});
export type StorePayInput = Static<typeof StorePayInput>;

export const payCart = {
  ...base,
  method: 'POST',
  path: '/cart/pay',
  limitedBy: 'store_pays',
  summary: 'Pay the cart',
  description:
    'By a method with `places: at_once`, or if the total is 0, the order is placed. Otherwise the goods are reserved at this price until the payment. With `saved_method_id` of `GET /me/saved-payment-methods`, only for the customer of the cart, signed in, the payment begins with that method, and the order is placed unless the buyer must still act: to be authenticated by the bank with the `client_secret`, or to confirm on the page of `redirect_url`. A repetition returns what there is. A network, a token, and an e-mail address may pay 10 times an hour.',
  body: StorePayInput,
  bodyOptional: true,
  repeatable: true,
  data: StoreCheckout,
} as const satisfies Endpoint;

export const confirmCart = {
  ...base,
  method: 'POST',
  path: '/cart/confirm',
  summary: 'Read the state of the payment',
  mayRefuse: true,
  repeatable: true,
  data: StoreCheckout,
} as const satisfies Endpoint;

export const reopenCart = {
  ...base,
  method: 'POST',
  path: '/cart/reopen',
  summary: 'Cancel the payment of the cart',
  description: 'What was reserved is free again, and the cart can be changed.',
  mayRefuse: true,
  repeatable: true,
  data: StoreCheckout,
} as const satisfies Endpoint;

export const storeCartEndpoints: readonly Endpoint[] = [
  createCart,
  getCart,
  updateCart,
  addCartLines,
  updateCartLine,
  removeCartLine,
  payCart,
  confirmCart,
  reopenCart,
  recoverCart,
];
