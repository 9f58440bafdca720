import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../../lib/schemas.ts';

export const REFUND_TARGETS = ['original', 'manual'] as const;
/** `pending`: a payment service was asked to send the money; `failed`: it will not. */
export const REFUND_STATUSES = ['pending', 'done', 'failed'] as const;

const RefundLine = Type.Object({
  line_id: Id,
  qty: Type.Integer({ description: 'Units' }),
  amount: Type.Number({ description: 'What was charged for these units, with discount and tax' }),
  restocked: Type.Integer({ description: 'The units of it that returned to the stock' }),
});

export const Refund = Type.Object({
  id: Id,
  order_id: Id,
  amount: Type.Number(),
  shipping: Type.Number({ description: 'The part of it for shipping' }),
  currency: Type.String({ description: 'ISO 4217' }),
  reason: Nullable(Type.String()),
  to: OneOf(REFUND_TARGETS, { description: 'manual: staff paid it back by hand' }),
  status: OneOf(REFUND_STATUSES, {
    description: 'pending: a payment service was asked to send the money; failed: it will not, so it is still owed',
  }),
  lines: Type.Array(RefundLine),
  actor: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
});
export type Refund = Static<typeof Refund>;

const MAX_AMOUNT = 9_999_999_999.99;

export const RefundInput = Type.Object({
  lines: Type.Optional(
    Type.Array(
      Type.Object({
        line_id: Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'The `id` of an item of the order',
        }),
        qty: Type.Integer({ minimum: 1, maximum: 9_999 }),
        restock: Type.Optional(
          Type.Boolean({ description: 'Whether the units return to the stock where they were taken; false if absent' }),
        ),
      }),
      { maxItems: 200 },
    ),
  ),
  shipping: Type.Optional(
    Type.Number({ minimum: 0, maximum: MAX_AMOUNT, description: 'What is given back for shipping, with its tax' }),
  ),
  amount: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: MAX_AMOUNT,
      description: 'The shares of the lines plus `shipping` if absent',
    }),
  ),
  to: Type.Optional(
    OneOf(REFUND_TARGETS, {
      description:
        'manual: staff pay or paid it back by hand, as money by manual methods must be. The default is what fits the payments',
    }),
  ),
  reason: Type.Optional(Nullable(Trimmed({ maxLength: 500, description: 'Also in `order_refunded`' }))),
});
export type RefundInput = Static<typeof RefundInput>;

const tag = 'Payments';

export const listRefunds = {
  method: 'GET',
  path: '/orders/{id}/refunds',
  scope: 'payments:read',
  tag,
  summary: 'List the refunds of an order',
  description:
    'Newest first. Money that was given back at the payment service or before an import is in the ledger of the order alone.',
  params: IdParams,
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'id' },
  data: Type.Array(Refund),
  status: 200,
} as const satisfies Endpoint;

export const createRefund = {
  method: 'POST',
  path: '/orders/{id}/refunds',
  scope: 'payments:write',
  tag,
  summary: 'Refund an order, in whole or in part',
  description:
    'By lines, by amount or both, from its newest payment back. The order, its points and promo code, and the figures of sales stay as they are.',
  params: IdParams,
  body: RefundInput,
  data: Refund,
  status: 201,
} as const satisfies Endpoint;

export const refundEndpoints: readonly Endpoint[] = [listRefunds, createRefund];
