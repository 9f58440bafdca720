import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { FreeForm, Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { Revision } from '../../lib/validation/revision.ts';
import { CustomInput, CustomValues } from '../custom-fields/contract.ts';
import { Calculation, OptionalBilling, Order } from '../orders/contract.ts';
import { ORDER_ORIGINS } from '../orders/origin.ts';
import { CheckoutPayment, PayLink, PayLinkInput, Payment, PaymentsInput } from '../payments/contract.ts';
import { OptionValue } from '../products/contract.ts';
import { CART_STATUSES } from './row.ts';

export const MAX_LINES = 200;
export const MAX_QTY = 9_999;

const CartLine = Type.Object({
  id: Id,
  product_id: Id,
  parent_id: Nullable(Type.Integer({ description: 'The parent of a variant' })),
  name: Type.String(),
  title: Nullable(Type.String({ description: 'The option values of a variant' })),
  sku: Nullable(Type.String()),
  options: Type.Array(OptionValue),
  image: Nullable(Type.String({ description: 'URL of its first picture' })),
  qty: Type.Integer(),
  price: Type.Number({ description: 'Of one unit now, or `price_override`' }),
  added_price: Type.Number({ description: 'Its price when it was added' }),
  price_override: Nullable(Type.Number({ description: 'Set by staff or by an API key' })),
  override_reason: Nullable(Type.String()),
  subtotal: Type.Number(),
  discount: Type.Number(),
  tax: Type.Number(),
});

export const PROBLEMS = [
  'out_of_stock',
  'not_sold',
  'price_changed',
  'shipping_unavailable',
  'promo_not_found',
  'promo_inactive',
  'promo_not_started',
  'promo_expired',
  'promo_usage_limit',
  'promo_customer_limit',
  'promo_min_subtotal',
  'promo_not_applicable',
  'loyalty_disabled',
  'below_min_redeem',
  'insufficient_points',
  'too_large',
] as const;

const amounts = Calculation.properties;

export const Cart = Type.Object({
  id: Id,
  status: OneOf(CART_STATUSES),
  origin: OneOf(ORDER_ORIGINS),
  revision: Revision,
  subscription_id: Nullable(Type.Integer({ description: 'The subscription whose order it becomes' })),
  cycle_date: Nullable(Type.String({ format: 'date', description: 'The date of that order' })),
  customer_id: Nullable(Type.Integer({ description: 'null: a guest' })),
  email: Nullable(Type.String()),
  first_name: Type.String(),
  last_name: Type.String(),
  phone: Nullable(Type.String()),
  lines: Type.Array(CartLine),
  promo_code: Nullable(Type.String()),
  redeem_points: Type.Integer(),
  shipping_address: Type.String(),
  shipping_city: Type.String(),
  shipping_state: Type.String(),
  shipping_zip: Type.String(),
  shipping_country: Nullable(Type.String({ description: "ISO 3166 alpha-2; null: the store's country" })),
  shipping_method_id: Nullable(Id),
  location_id: Nullable(Id),
  billing: OptionalBilling,
  accepts_marketing: Nullable(Type.Boolean({ description: "The buyer's choice at the checkout; null: not asked" })),
  custom: CustomValues,
  metadata: FreeForm,
  note: Nullable(Type.String()),
  currency: amounts.currency,
  subtotal: amounts.subtotal,
  discount: amounts.discount,
  promo_discount: amounts.promo_discount,
  points_discount: amounts.points_discount,
  points_redeemed: amounts.points_redeemed,
  shipping: amounts.shipping,
  shipping_method: amounts.shipping_method,
  shipping_methods: amounts.shipping_methods,
  tax: amounts.tax,
  tax_lines: amounts.tax_lines,
  total: amounts.total,
  estimated: Type.Boolean({ description: "Whether the address is incomplete; without a country, the store's counts" }),
  problems: Type.Array(
    Type.Object({
      code: OneOf(PROBLEMS),
      line_id: Nullable(Type.Integer({ description: 'null: of the whole cart' })),
    }),
    { description: 'What prevents placing, and prices that have changed. Amounts leave out what cannot be applied' },
  ),
  payment: Nullable(Payment),
  reserved_until: Nullable(
    Type.String({ format: 'date-time', description: 'While it is paid: until when the goods are reserved' }),
  ),
  order_id: Nullable(Type.Integer({ description: 'The order that was placed from it' })),
  recover_url: Nullable(
    Type.String({
      description:
        'Of an open cart with lines: a link to the storefront that fills a new cart with them, without personal data; null: no `store_url` is set',
    }),
  ),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Cart = Static<typeof Cart>;
/** A cart without what only staff and programs get. */
export type CartRecord = Omit<Cart, 'recover_url'>;

const override = {
  price_override: Type.Optional(
    Nullable(Type.Number({ minimum: 0, maximum: 1e12, description: 'Replaces the price of one unit' })),
  ),
  override_reason: Type.Optional(Nullable(Trimmed({ maxLength: 500 }))),
};
const Qty = Type.Integer({ minimum: 1, maximum: MAX_QTY });
export const LineInput = Type.Object({ product_id: Id, qty: Qty, ...override });
const LineInputs = Type.Array(LineInput, { maxItems: MAX_LINES });

function Clearable(maxLength: number, description?: string) {
  return Type.Optional(Nullable(Trimmed({ maxLength, description })));
}

const BillingInput = Type.Object({
  first_name: Clearable(200),
  last_name: Clearable(200),
  company: Clearable(200),
  address: Trimmed({ minLength: 1, maxLength: 500 }),
  city: Trimmed({ minLength: 1, maxLength: 200 }),
  state: Clearable(100),
  zip: Trimmed({ minLength: 1, maxLength: 20 }),
  country: Clearable(100, "The store's country when absent"),
});

const fields = {
  customer_id: Type.Optional(
    Nullable(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'A signed-in buyer' })),
  ),
  email: Clearable(
    254,
    'Of a guest: the order goes to the customer with this address, who is created if there is none',
  ),
  first_name: Clearable(200),
  last_name: Clearable(200),
  phone: Clearable(64),
  promo_code: Clearable(100),
  redeem_points: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  shipping_address: Clearable(500),
  shipping_city: Clearable(200),
  shipping_state: Clearable(100, 'A code by ISO 3166-2 or an English name; kept as the code'),
  shipping_zip: Clearable(20),
  shipping_country: Clearable(100, 'ISO 3166 code or English name'),
  shipping_method_id: Type.Optional(Nullable(Id)),
  location_id: Type.Optional(Nullable(Id)),
  billing: Type.Optional(Nullable(BillingInput)),
  accepts_marketing: Type.Optional(
    Nullable(
      Type.Boolean({
        description:
          "Changes a customer's consent when the order is placed. A guest who accepts gets an e-mail with a link to confirm",
      }),
    ),
  ),
  custom: Type.Optional(CustomInput),
  metadata: Type.Optional(FreeForm),
  note: Clearable(5_000, 'Becomes a note of the order'),
};

export const CartInput = Type.Object({ lines: Type.Optional(LineInputs), ...fields });
export type CartInput = Static<typeof CartInput>;

export const CartPatch = Type.Object(fields);
export type CartPatch = Static<typeof CartPatch>;

export const LinesInput = Type.Object({ lines: LineInputs });
export type LinesInput = Static<typeof LinesInput>;
export type LineInput = Static<typeof LineInput>;

export const LinePatch = Type.Object({ qty: Type.Optional(Qty), ...override });
export type LinePatch = Static<typeof LinePatch>;

export const PayInput = Type.Object({
  method_id: Type.Optional(
    Nullable(Type.Integer({ minimum: 1, description: 'The payment method; not needed where the total is 0' })),
  ),
  saved_method_id: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'A saved payment method of the customer, with which is paid; `method_id` is then the one by which it was saved, and can be left out',
      }),
    ),
  ),
  expected_total: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1e13,
      description: 'The total that the buyer was shown. Without it, the total is not compared',
    }),
  ),
  return_url: Type.Optional(
    Type.String({
      format: 'uri',
      pattern: '^https?://',
      maxLength: 500,
      description: 'Where the buyer returns to from a page of the payment service; the page of the pay link if absent',
    }),
  ),
});
export type PayInput = Static<typeof PayInput>;

export const Checkout = Type.Object({
  status: OneOf(['open', 'action_required', 'processing', 'placed'] as const, {
    description:
      'open: nothing is reserved; action_required: the goods are reserved until the payment, for which the buyer must act; processing: the payment service has not decided; placed: there is an order',
  }),
  order: Nullable(Order),
  order_token: Nullable(Type.String({ description: 'With it, the buyer sees the order without signing in' })),
  payment: Nullable(CheckoutPayment),
  reserved_until: Nullable(Type.String({ format: 'date-time' })),
});
export type Checkout = Static<typeof Checkout>;

export const CartQuery = Type.Object({
  status: Type.Optional(OneOf(CART_STATUSES)),
  origin: Type.Optional(OneOf(ORDER_ORIGINS)),
  customer_id: Type.Optional(Id),
  email: Type.Optional(Type.String({ maxLength: 254, description: 'The whole address, in any case' })),
  abandoned: Type.Optional(
    Type.Boolean({
      description:
        'Open carts with lines and a buyer that were not changed for `abandoned_after_minutes` of the checkout settings, or all others',
    }),
  ),
  ...pageQuery(25),
});
export type CartQuery = Static<typeof CartQuery>;

const LineParams = Type.Object({ id: Id, line_id: Id });
const read = { scope: 'carts:read', tag: 'Carts', status: 200 } as const;
const write = { scope: 'carts:write', tag: 'Carts', status: 200 } as const;

export const listCarts = {
  ...read,
  method: 'GET',
  path: '/carts',
  summary: 'List carts',
  description:
    'Newest first, with their present totals. Carts are deleted 90 days after their last change (`carts_days` of the retention settings).',
  query: CartQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(Cart),
} as const satisfies Endpoint;

export const getCart = {
  ...read,
  method: 'GET',
  path: '/carts/{id}',
  summary: 'Read a cart',
  description:
    'An open cart is priced as an order of it would be now. A cart that was placed keeps the price of its order.',
  params: IdParams,
  data: Cart,
} as const satisfies Endpoint;

export const createCart = {
  ...write,
  method: 'POST',
  path: '/carts',
  summary: 'Create a cart',
  description:
    'Reserves nothing. Products must be sold and in stock when they are added. A promo code, points and an address that do not fit are kept, and shown in `problems`.',
  body: CartInput,
  bodyOptional: true,
  data: Cart,
  status: 201,
} as const satisfies Endpoint;

export const updateCart = {
  ...write,
  method: 'PATCH',
  path: '/carts/{id}',
  summary: 'Change a cart',
  description:
    "Null clears a field. Only open carts can be changed. Customer and lines of a subscription's cart are as the subscription says (`not_allowed`), and what an order needs stays given: it is charged as it is.",
  params: IdParams,
  body: CartPatch,
  conditional: true,
  data: Cart,
} as const satisfies Endpoint;

export const cancelCart = {
  ...write,
  method: 'DELETE',
  path: '/carts/{id}',
  summary: 'Cancel a cart',
  mayRefuse: true,
  description: 'Sets an open cart to `cancelled`.',
  params: IdParams,
  data: Cart,
} as const satisfies Endpoint;

export const addCartLines = {
  ...write,
  method: 'POST',
  path: '/carts/{id}/lines',
  summary: 'Add products to a cart',
  description: 'A product occurs once: adding it again adds to its quantity. All lines are added, or none.',
  params: IdParams,
  body: LinesInput,
  data: Cart,
} as const satisfies Endpoint;

export const updateCartLine = {
  ...write,
  method: 'PATCH',
  path: '/carts/{id}/lines/{line_id}',
  summary: 'Change a line of a cart',
  description: "`If-Match` names the cart's revision.",
  params: LineParams,
  body: LinePatch,
  conditional: true,
  data: Cart,
} as const satisfies Endpoint;

export const removeCartLine = {
  ...write,
  method: 'DELETE',
  path: '/carts/{id}/lines/{line_id}',
  summary: 'Remove a line from a cart',
  mayRefuse: true,
  params: LineParams,
  data: Cart,
} as const satisfies Endpoint;

export const payCart = {
  ...write,
  method: 'POST',
  path: '/carts/{id}/pay',
  summary: 'Pay a cart',
  description:
    'Checks and prices the cart as `POST /orders` does. By a method with `places: at_once`, or if the total is 0, the order is placed. Otherwise stock, promo code and points are reserved at this price, for the `reserve_minutes` of the method. With `saved_method_id`, which needs the scope `payments:write` as well, the saved method is charged while the customer is absent, in full whatever the `capture` of the method is; a bank that wants to authenticate the customer declines (`authentication_required`): send a pay link. A repetition returns what there is.',
  params: IdParams,
  body: PayInput,
  bodyOptional: true,
  repeatable: true,
  data: Checkout,
} as const satisfies Endpoint;

export const confirmCart = {
  ...write,
  method: 'POST',
  path: '/carts/{id}/confirm',
  summary: 'Read the state of a payment',
  params: IdParams,
  mayRefuse: true,
  repeatable: true,
  data: Checkout,
} as const satisfies Endpoint;

export const reopenCart = {
  ...write,
  method: 'POST',
  path: '/carts/{id}/reopen',
  summary: 'Cancel the payment of a cart',
  description: 'Stock, promo code and points are free again, and the cart can be changed.',
  params: IdParams,
  mayRefuse: true,
  repeatable: true,
  data: Checkout,
} as const satisfies Endpoint;

export const placeCart = {
  ...write,
  method: 'POST',
  path: '/carts/{id}/place',
  summary: 'Place a cart as an order',
  description:
    'Paid or not. Checks and prices an open cart as `POST /orders` does; one that is being paid keeps its price. A repetition returns the existing order; with `payments` it is refused with `cart_not_open`, so that no money is recorded twice or lost: read the order. The e-mail address of a guest decides whose order it is.',
  params: IdParams,
  body: Type.Object({ payments: Type.Optional(PaymentsInput) }),
  bodyOptional: true,
  repeatable: true,
  data: Order,
} as const satisfies Endpoint;

export const createCartPayLink = {
  ...write,
  method: 'POST',
  path: '/carts/{id}/pay-link',
  summary: 'Make a link to pay a cart',
  description:
    'Leads to a page of this server where the buyer sees what the cart costs, chooses a payment method and pays. Nothing is reserved before. Several links of one cart are all valid.',
  params: IdParams,
  body: PayLinkInput,
  bodyOptional: true,
  returnsSecret: true,
  data: PayLink,
} as const satisfies Endpoint;

export const cartEndpoints: readonly Endpoint[] = [
  listCarts,
  createCart,
  getCart,
  updateCart,
  cancelCart,
  addCartLines,
  updateCartLine,
  removeCartLine,
  payCart,
  confirmCart,
  reopenCart,
  placeCart,
  createCartPayLink,
];
