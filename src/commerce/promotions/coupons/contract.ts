import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, pageQuery } from '../../../lib/schemas.ts';

/** Coupons of one request: 5,000 take 0.2 s, and their codes 100 kB. */
export const MOST_COUPONS = 5_000;

const Coupon = Type.Object({
  id: Id,
  code: Type.String(),
  ends_at: Nullable(Type.String({ format: 'date-time' })),
  used: Type.Boolean({ description: 'Whether an order has it that was not cancelled' }),
  created_at: Type.String({ format: 'date-time' }),
});
export type Coupon = Static<typeof Coupon>;

export const CouponQuery = Type.Object({
  used: Type.Optional(Type.Boolean()),
  ...pageQuery(25),
});
export type CouponQuery = Static<typeof CouponQuery>;

export const createCoupons = {
  method: 'POST',
  path: '/promo-codes/{id}/coupons',
  scope: 'settings:write',
  tag: 'Promo codes',
  summary: 'Create coupons of a template',
  description:
    'Creates promo codes with the current terms of the template, each for one order. Later changes of the template do not affect them.',
  params: IdParams,
  body: Type.Object({ count: Type.Integer({ minimum: 1, maximum: MOST_COUPONS }) }),
  data: Type.Object({ template_id: Id, codes: Type.Array(Type.String()) }),
  status: 201,
} as const satisfies Endpoint;

export const listCoupons = {
  method: 'GET',
  path: '/promo-codes/{id}/coupons',
  scope: 'settings:read',
  tag: 'Promo codes',
  summary: 'List the coupons of a template',
  description: 'Newest first: those created in sets and those in messages.',
  params: IdParams,
  query: CouponQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(Coupon),
  status: 200,
} as const satisfies Endpoint;

export const couponEndpoints: readonly Endpoint[] = [listCoupons, createCoupons];
