import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { sortNames } from '../../lib/sorting.ts';

const TYPES = ['percent', 'fixed', 'free_shipping', 'buy_x_get_y'] as const;
const SCOPES = ['order', 'products', 'categories', 'collections'] as const;

export interface BuyXGetY {
  buy: number;
  get: number;
  /** 0–100; 100 where absent. */
  percent_off?: number;
}

/** Its form depends on `type`; the service checks it. */
const Value = Type.Unsafe<number | BuyXGetY | null>({
  description:
    'percent: above 0 to 100; fixed: an amount; free_shipping: null; buy_x_get_y: {buy, get, percent_off (100 when absent)}, for every `buy` units the next `get` are cheaper',
  examples: [12.5, { buy: 2, get: 1, percent_off: 100 }],
});

const PromoFields = {
  id: Id,
  code: Type.String(),
  type: OneOf(TYPES),
  value: Value,
  scope: OneOf(SCOPES, { description: 'Which lines it makes cheaper' }),
  product_ids: Type.Array(Id),
  category_slugs: Type.Array(Type.String()),
  collection_ids: Type.Array(Id),
  min_subtotal: Nullable(Type.Number()),
  max_discount: Nullable(Type.Number()),
  starts_at: Nullable(Type.String({ format: 'date-time' })),
  ends_at: Nullable(Type.String({ format: 'date-time', description: 'The first moment at which it is over' })),
  usage_limit: Nullable(Type.Integer()),
  per_customer_limit: Nullable(Type.Integer()),
  first_order_only: Type.Boolean(),
  active: Type.Boolean(),
  is_template: Type.Boolean({ description: 'Whether it is a template of coupons, and not usable itself' }),
  valid_days: Nullable(Type.Integer({ description: 'Days after which coupons of this template end' })),
  template_id: Nullable(Type.Integer({ description: 'Of a coupon: the template it was made from' })),
  used_count: Type.Integer({ description: 'Orders with it that were not cancelled' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
};
export const PromoCode = Type.Object(PromoFields);
export type PromoCode = Static<typeof PromoCode>;

const Code = Trimmed({ minLength: 1, maxLength: 100, description: 'Unique without regard to case; no white space' });
const Moment = Type.Optional(Nullable(Type.String({ format: 'date-time', maxLength: 40 })));
const Amount = Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 9_999_999.99 })));
const Limit = Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })));
const fields = {
  scope: Type.Optional(OneOf(SCOPES)),
  product_ids: Type.Optional(
    Type.Array(Id, {
      maxItems: 1_000,
      description: 'Of scope products; a product with variants stands for all of them',
    }),
  ),
  category_slugs: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 200, description: 'Of scope categories' }),
  ),
  collection_ids: Type.Optional(
    Type.Array(Id, { maxItems: 200, description: 'Of scope collections: their products when the order is placed' }),
  ),
  min_subtotal: Amount,
  max_discount: Amount,
  starts_at: Moment,
  ends_at: Moment,
  usage_limit: Limit,
  per_customer_limit: Limit,
  first_order_only: Type.Optional(Type.Boolean()),
  active: Type.Optional(Type.Boolean()),
  is_template: Type.Optional(
    Type.Boolean({
      description:
        'Makes coupons of the same terms for one use each: in messages by `{{ coupon.CODE }}`, or in sets. Its code is then a word of at most 60 letters, digits and underscores. Cannot be changed.',
    }),
  ),
  valid_days: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 3_650,
        description: 'Of a template: days after which its coupons end, at its own `ends_at` at the latest',
      }),
    ),
  ),
};

export const PromoCodeInput = Type.Object({ code: Code, type: OneOf(TYPES), value: Type.Optional(Value), ...fields });
export type PromoCodeInput = Static<typeof PromoCodeInput>;

export const PromoCodePatch = Type.Object({
  code: Type.Optional(Code),
  type: Type.Optional(OneOf(TYPES)),
  value: Type.Optional(Value),
  ...fields,
});
export type PromoCodePatch = Static<typeof PromoCodePatch>;

export const PromoCodeQuery = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 100, description: 'The whole code, in any case' })),
  active: Type.Optional(Type.Boolean()),
  is_template: Type.Optional(Type.Boolean()),
  sort: Type.Optional(
    OneOf(sortNames('code', 'ends', 'used'), {
      description: 'Sort order; default newest first. With `ends_asc` and `ends_desc`, codes without an end come last',
    }),
  ),
  ...pageQuery(25),
});
export type PromoCodeQuery = Static<typeof PromoCodeQuery>;

export const listPromoCodes = {
  method: 'GET',
  path: '/promo-codes',
  scope: 'settings:read',
  tag: 'Promo codes',
  summary: 'List promo codes',
  description:
    'Newest first unless `sort` is set. Filters combine. Coupons are included only with `code`; `GET /promo-codes/{id}/coupons` lists the coupons of a template.',
  query: PromoCodeQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(PromoCode),
  status: 200,
} as const satisfies Endpoint;

export const getPromoCode = {
  method: 'GET',
  path: '/promo-codes/{id}',
  scope: 'settings:read',
  tag: 'Promo codes',
  summary: 'Read a promo code',
  params: IdParams,
  data: PromoCode,
  status: 200,
} as const satisfies Endpoint;

export const createPromoCode = {
  method: 'POST',
  path: '/promo-codes',
  scope: 'settings:write',
  tag: 'Promo codes',
  summary: 'Create a promo code',
  body: PromoCodeInput,
  data: PromoCode,
  status: 201,
} as const satisfies Endpoint;

export const updatePromoCode = {
  method: 'PATCH',
  path: '/promo-codes/{id}',
  scope: 'settings:write',
  tag: 'Promo codes',
  summary: 'Change a promo code',
  description: 'Sets the fields that are given; orders that were placed with it stay as they are.',
  params: IdParams,
  body: PromoCodePatch,
  data: PromoCode,
  status: 200,
} as const satisfies Endpoint;

export const deletePromoCode = {
  method: 'DELETE',
  path: '/promo-codes/{id}',
  scope: 'settings:write',
  tag: 'Promo codes',
  summary: 'Delete a promo code',
  description:
    'Returns the code as it was. Orders keep its text and their discount; a new code of the same text starts from zero uses. A template with coupons is not deleted: switch it off instead.',
  params: IdParams,
  data: PromoCode,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const promotionEndpoints: readonly Endpoint[] = [
  listPromoCodes,
  getPromoCode,
  createPromoCode,
  updatePromoCode,
  deletePromoCode,
];
