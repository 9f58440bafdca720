import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../../lib/schemas.ts';
import { CAPTURES, IMPORTED_KIND, KINDS, PLACES, PROVIDERS } from './method.ts';

export const PaymentMethod = Type.Object({
  id: Id,
  provider: OneOf(PROVIDERS, {
    description: 'Who takes the money. manual: staff settle the payments by hand',
  }),
  kind: Type.String({
    description: `${KINDS.join(', ')}; of a service, its name of the method, or any. ${IMPORTED_KIND}: the method of payments that an import of orders made; it is never offered and cannot be changed`,
  }),
  name: Type.String({ description: 'As buyers see it' }),
  description: Nullable(Type.String()),
  instructions: Nullable(Type.String({ description: 'What buyers are told after ordering, such as the bank account' })),
  account_id: Nullable(Type.Integer({ description: 'The account at the provider; null for manual methods' })),
  position: Type.Integer({ description: 'Methods are offered in this order' }),
  active: Type.Boolean(),
  staff_only: Type.Boolean({ description: 'Whether only staff may choose it, not buyers' }),
  places: OneOf(PLACES, { description: 'When the order is placed: at once, or when the money has arrived' }),
  reserve_minutes: Type.Integer({
    description: 'How long the goods are set aside while the money is awaited. No effect with `places: at_once`',
  }),
  capture: OneOf(CAPTURES, {
    description:
      'When the money is taken that the buyer has authorized: at once, when the order is shipped, or when staff capture it. at_once for manual methods',
  }),
  min_total: Nullable(Type.Number({ description: "The lowest total, in the shop's currency" })),
  max_total: Nullable(Type.Number({ description: "The highest total, in the shop's currency" })),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type PaymentMethod = Static<typeof PaymentMethod>;

const Name = Trimmed({ minLength: 1, maxLength: 100 });
const Kind = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: '^[a-z][a-z0-9_]*$',
  description: `${KINDS.join(', ')}; of a service, its name of the method, such as card or ideal, or any`,
});
const Amount = Type.Number({ minimum: 0, maximum: 9_999_999.99 });

const methodFields = {
  account_id: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'An active payment account of the provider; not for manual methods',
      }),
    ),
  ),
  description: Type.Optional(Nullable(Trimmed({ maxLength: 500 }))),
  instructions: Type.Optional(Nullable(Trimmed({ maxLength: 2_000 }))),
  position: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  active: Type.Optional(Type.Boolean()),
  staff_only: Type.Optional(Type.Boolean()),
  reserve_minutes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 20_160, description: '10,080 for new manual methods, 30 for others' }),
  ),
  capture: Type.Optional(OneOf(CAPTURES)),
  min_total: Type.Optional(Nullable(Amount)),
  max_total: Type.Optional(Nullable(Amount)),
};

export const PaymentMethodInput = Type.Object({
  provider: Type.Optional(OneOf(PROVIDERS)),
  kind: Kind,
  name: Name,
  places: Type.Optional(
    OneOf(PLACES, { description: 'at_once for new manual methods except bank transfers, when_paid for others' }),
  ),
  ...methodFields,
});
export type PaymentMethodInput = Static<typeof PaymentMethodInput>;

export const PaymentMethodPatch = Type.Object({
  kind: Type.Optional(Kind),
  name: Type.Optional(Name),
  places: Type.Optional(OneOf(PLACES)),
  ...methodFields,
});
export type PaymentMethodPatch = Static<typeof PaymentMethodPatch>;

const common = { tag: 'Payments', data: PaymentMethod, status: 200 } as const;

export const listPaymentMethods = {
  ...common,
  method: 'GET',
  path: '/payment-methods',
  scope: 'settings:read',
  summary: 'List payment methods',
  description: 'By position, inactive ones included.',
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'position', id: 'id', direction: 'asc' },
  data: Type.Array(PaymentMethod),
} as const satisfies Endpoint;

export const getPaymentMethod = {
  ...common,
  method: 'GET',
  path: '/payment-methods/{id}',
  scope: 'settings:read',
  summary: 'Read a payment method',
  params: IdParams,
} as const satisfies Endpoint;

export const createPaymentMethod = {
  ...common,
  method: 'POST',
  path: '/payment-methods',
  scope: 'settings:write',
  summary: 'Create a payment method',
  body: PaymentMethodInput,
  status: 201,
} as const satisfies Endpoint;

export const updatePaymentMethod = {
  ...common,
  method: 'PATCH',
  path: '/payment-methods/{id}',
  scope: 'settings:write',
  summary: 'Change a payment method',
  description:
    'A method cannot be deleted: set `active` to false instead. The method of imported payments cannot be changed (422).',
  params: IdParams,
  body: PaymentMethodPatch,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const paymentMethodEndpoints: readonly Endpoint[] = [
  listPaymentMethods,
  getPaymentMethod,
  createPaymentMethod,
  updatePaymentMethod,
];
