import type { Static } from 'typebox';
import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { CalendarDate, FreeForm, Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { CustomInput, CustomValues } from '../custom-fields/contract.ts';
import { orderMoney, PaymentsInput } from '../payments/contract.ts';
import { ORDER_PAYMENT_STATUSES } from '../payments/status.ts';
import { OptionValue } from '../products/contract.ts';
import { ORDER_ORIGINS } from './origin.ts';
import { ORDER_STATUSES } from './status.ts';

const line = {
  product_id: Id,
  product_name: Type.String(),
  qty: Type.Integer(),
  price: Type.Number(),
  subtotal: Type.Number(),
  discount: Type.Number(),
  tax: Type.Number(),
};

const OrderItem = Type.Object({
  id: Id,
  ...line,
  parent_id: Nullable(Type.Integer({ description: 'The parent of a variant' })),
  title: Nullable(Type.String({ description: 'The option values of a variant' })),
  options: Nullable(Type.Array(OptionValue)),
  sku: Nullable(Type.String({ description: 'When it was ordered; null in imported orders, as the following fields' })),
  tax_class: Nullable(Type.String()),
  categories: Nullable(Type.Array(Type.String())),
});

const TaxLines = Type.Array(Type.Object({ name: Type.String(), rate: Type.Number(), amount: Type.Number() }));

const billing = {
  first_name: Type.String(),
  last_name: Type.String(),
  company: Type.String(),
  address: Type.String(),
  city: Type.String(),
  state: Type.String(),
  zip: Type.String(),
  country: Type.String({ description: 'ISO 3166 alpha-2' }),
};
/** An invoice address. Texts that were not given are empty. */
const Billing = Type.Object(billing);
export type Billing = Static<typeof Billing>;
export const OptionalBilling = Nullable(Type.Object(billing, { description: 'The invoice address, if it differs' }));

export const Order = Type.Object({
  id: Id,
  customer_id: Id,
  status: OneOf(ORDER_STATUSES),
  subtotal: Type.Number(),
  discount: Type.Number(),
  tax: Type.Number(),
  shipping: Type.Number(),
  total: Type.Number({ description: 'subtotal − discount + tax + shipping' }),
  currency: Type.String(),
  tracking_number: Nullable(Type.String()),
  items: Type.Array(OrderItem),
  shipping_address: Type.String(),
  shipping_city: Type.String(),
  shipping_state: Type.String(),
  shipping_zip: Type.String(),
  shipping_country: Type.String({ description: 'ISO 3166 alpha-2' }),
  shipping_method: Nullable(Type.String()),
  tax_lines: TaxLines,
  promo_code: Nullable(Type.String()),
  points_redeemed: Type.Integer(),
  external_id: Nullable(Type.String()),
  metadata: FreeForm,
  custom: CustomValues,
  subscription_id: Nullable(Id),
  location_id: Nullable(Type.Integer({ description: 'The location that the client named' })),
  cart_id: Nullable(Type.Integer({ description: 'The cart that it was placed from' })),
  origin: Nullable(OneOf(ORDER_ORIGINS, { description: 'null for imported orders' })),
  guest: Type.Boolean({ description: 'Whether its buyer was not signed in' }),
  billing: OptionalBilling,
  ...orderMoney,
  is_subscription: Type.Boolean(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Order = Static<typeof Order>;

/** The fields that an order and its previews share. */
const basket = {
  customer_id: Id,
  items: Type.Array(Type.Object({ product_id: Id, qty: Type.Integer({ minimum: 1, maximum: 9_999 }) }), {
    minItems: 1,
    maxItems: 200,
  }),
  shipping_address: Trimmed({ minLength: 1, maxLength: 500 }),
  shipping_city: Trimmed({ minLength: 1, maxLength: 200 }),
  shipping_state: Type.Optional(
    Trimmed({
      maxLength: 100,
      description:
        "A code by ISO 3166-2 or an English name; kept as the code. Required, and refused where it is unknown, if the country's tax or shipping rules go by state",
    }),
  ),
  shipping_zip: Trimmed({ minLength: 1, maxLength: 20 }),
  shipping_country: Type.Optional(
    Trimmed({ minLength: 1, maxLength: 100, description: "The store's country when absent" }),
  ),
  promo_code: Type.Optional(Nullable(Trimmed({ maxLength: 100 }))),
  redeem_points: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  shipping_method_id: Type.Optional(Nullable(Id)),
  location_id: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'The location whose stock is sold; absent: the first online locations that have it. Stock that is not online is sold in this way only',
      }),
    ),
  ),
};

export const OrderInput = Type.Object({
  ...basket,
  external_id: Type.Optional(Nullable(Trimmed({ minLength: 1, maxLength: 255 }))),
  metadata: Type.Optional(FreeForm),
  custom: Type.Optional(CustomInput),
  accepts_marketing: Type.Optional(
    Type.Boolean({
      description:
        "The customer's choice at the checkout: changes the customer, and the consent, together with the order",
    }),
  ),
  payments: Type.Optional(PaymentsInput),
});
export type OrderInput = Static<typeof OrderInput>;

export const StatusInput = Type.Object({
  status: Type.Optional(OneOf(ORDER_STATUSES)),
  tracking_number: Type.Optional(Nullable(Trimmed({ maxLength: 100 }))),
  carrier: Type.Optional(
    Nullable(
      Trimmed({
        maxLength: 100,
        description: 'With the status shipped: stored in the history and in `order_shipped`',
      }),
    ),
  ),
  custom: Type.Optional(CustomInput),
});
export type StatusInput = Static<typeof StatusInput>;

const filters = {
  customer_id: Type.Optional(Id),
  status: Type.Optional(OneOf(ORDER_STATUSES)),
  to_fulfill: Type.Optional(
    Type.Boolean({ description: 'true: pending or processing; false: shipped, delivered or cancelled' }),
  ),
  date_from: Type.Optional(CalendarDate),
  date_to: Type.Optional(CalendarDate),
  time_zone: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'IANA name: the days of `date_from` and `date_to` are those of this time zone; UTC where absent',
    }),
  ),
  is_subscription: Type.Optional(Type.Boolean()),
  payment_status: Type.Optional(
    OneOf(ORDER_PAYMENT_STATUSES.slice(1), { description: 'Orders without a payment have none' }),
  ),
  balance: Type.Optional(
    OneOf(['due', 'credit'], { description: 'due: the buyer owes money; credit: the shop has money to pay back' }),
  ),
};
export const OrderFilters = Type.Object(filters);
export type OrderFilters = Static<typeof OrderFilters>;

const ORDER_SORTS = ['newest', 'oldest', 'relevance'] as const;
export const OrderQuery = Type.Object({
  ...filters,
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'The number, external id or tracking number of an order, parts of the names, e-mail address or phone number of its customer, parts of the name of a product in it, or its SKU. At most the newest 1,000 orders are found. What more than 500 customers, more than 200 products or more than 5,000 lines of orders have, and words of one or two letters, are looked for in the newest 3,000 orders under the other filters',
    }),
  ),
  sort: Type.Optional(
    OneOf(ORDER_SORTS, {
      description:
        'The first of the list; newest where absent. `relevance` puts first what matches `search` by number, then by external id or tracking number, by the whole e-mail address or phone number of the customer, by customer, by SKU, by the name of a product; the newest first among equals, and where there is no `search`',
    }),
  ),
  ...pageQuery(25),
});
export type OrderQuery = Static<typeof OrderQuery>;

export const HistoryEntry = Type.Object({
  id: Id,
  type: Type.String(),
  from: Nullable(Type.String()),
  to: Nullable(Type.String()),
  actor: Type.String(),
  message: Nullable(Type.String()),
  created_at: Type.String({ format: 'date-time' }),
});
export type HistoryEntry = Static<typeof HistoryEntry>;

export const PromoPreview = Type.Object({
  promo_code: Type.String(),
  valid: Type.Boolean(),
  discount: Type.Number(),
  free_shipping: Type.Boolean(),
  subtotal: Type.Number(),
  shipping: Type.Number(),
  tax: Type.Number(),
  total: Type.Number(),
});
export type PromoPreview = Static<typeof PromoPreview>;

export const PromoPreviewInput = Type.Object({ ...basket, promo_code: Trimmed({ minLength: 1, maxLength: 100 }) });
export type PromoPreviewInput = Static<typeof PromoPreviewInput>;

const CalculationInput = Type.Object({
  ...basket,
  customer_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Absent: a new customer without orders and points',
    }),
  ),
  shipping_address: Type.Optional(Trimmed({ maxLength: 500 })),
  shipping_city: Type.Optional(Trimmed({ maxLength: 200 })),
  shipping_zip: Type.Optional(
    Trimmed({ maxLength: 20, description: 'Needed where tax or shipping rules go by postal code' }),
  ),
});
export type CalculationInput = Static<typeof CalculationInput>;

export const Calculation = Type.Object({
  currency: Type.String(),
  items: Type.Array(Type.Object(line)),
  subtotal: Type.Number(),
  discount: Type.Number({ description: 'promo_discount + points_discount' }),
  promo_discount: Type.Number(),
  points_discount: Type.Number(),
  points_redeemed: Type.Integer(),
  points_earned: Type.Integer({
    description: 'Points that the order would earn; 0 while the loyalty program is disabled',
  }),
  shipping: Type.Number(),
  shipping_country: Type.String({ description: 'ISO 3166 alpha-2' }),
  shipping_method: Nullable(
    Type.Object({ id: Id, name: Type.String() }, { description: 'null if no product requires shipping' }),
  ),
  shipping_methods: Type.Array(Type.Object({ id: Id, name: Type.String(), cost: Type.Number() }), {
    description: 'All that are offered for this address and value, before a promo code for free shipping',
  }),
  tax: Type.Number(),
  tax_lines: TaxLines,
  total: Type.Number({ description: 'subtotal − discount + tax + shipping' }),
});
export type Calculation = Static<typeof Calculation>;

export const calculateOrder = {
  method: 'POST',
  path: '/orders/calculate',
  unaudited: 'changes nothing',
  scope: 'orders:read',
  tag: 'Orders',
  summary: 'Calculate what an order would cost',
  description:
    'A dry run of placing the order, by the same calculation: nothing is written, and what could not be placed gets the response that the order would get.',
  body: CalculationInput,
  data: Calculation,
  status: 200,
} as const satisfies Endpoint;

export const createOrder = {
  method: 'POST',
  path: '/orders',
  scope: 'orders:write',
  tag: 'Orders',
  summary: 'Place an order',
  description:
    'Checks the stock, calculates discount, shipping and tax, and takes the stock, all in one transaction. The same product given twice is one line.',
  body: OrderInput,
  data: Order,
  status: 201,
} as const satisfies Endpoint;

export const listOrders = {
  method: 'GET',
  path: '/orders',
  scope: 'orders:read',
  tag: 'Orders',
  summary: 'List orders',
  description:
    'Newest first where `sort` is not `oldest`, with their items. `date_from` and `date_to` are inclusive days in UTC, or in `time_zone`.',
  query: OrderQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(Order),
  status: 200,
} as const satisfies Endpoint;

export const listCustomerOrders = {
  method: 'GET',
  path: '/customers/{id}/orders',
  scope: 'customers:read',
  tag: 'Customers',
  summary: "List a customer's orders",
  params: IdParams,
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'id' },
  data: Type.Array(Order),
  status: 200,
} as const satisfies Endpoint;

export const getOrder = {
  method: 'GET',
  path: '/orders/{id}',
  scope: 'orders:read',
  tag: 'Orders',
  summary: 'Read an order',
  params: IdParams,
  data: Order,
  status: 200,
} as const satisfies Endpoint;

export const getOrderHistory = {
  method: 'GET',
  path: '/orders/{id}/history',
  scope: 'orders:read',
  tag: 'Orders',
  summary: 'Read what happened to an order',
  description: 'From its beginning on.',
  params: IdParams,
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'id', direction: 'asc' },
  data: Type.Array(HistoryEntry),
  status: 200,
} as const satisfies Endpoint;

export const updateOrderStatus = {
  method: 'PATCH',
  path: '/orders/{id}/status',
  scope: 'orders:write',
  tag: 'Orders',
  summary: 'Move an order on, or note its tracking number or custom values',
  description: 'Cancelling puts the stock back, gives the promo code back and reverses loyalty points, once.',
  params: IdParams,
  body: StatusInput,
  data: Order,
  status: 200,
} as const satisfies Endpoint;

export const validatePromo = {
  method: 'POST',
  path: '/promo-codes/validate',
  unaudited: 'changes nothing',
  scope: 'orders:read',
  tag: 'Promo codes',
  summary: 'Try a promo code on a basket',
  description:
    'A dry run of placing the order: nothing is written. An unusable code gets the response that the order would get.',
  body: PromoPreviewInput,
  data: PromoPreview,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const orderEndpoints: readonly Endpoint[] = [
  createOrder,
  calculateOrder,
  listOrders,
  listCustomerOrders,
  getOrder,
  getOrderHistory,
  updateOrderStatus,
  validatePromo,
];
