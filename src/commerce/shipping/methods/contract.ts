import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../../lib/schemas.ts';

const Position = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const Name = Trimmed({ minLength: 1, maxLength: 100 });
const TYPES = ['flat', 'by_subtotal', 'free_over'] as const;

export const ShippingMethod = Type.Object({
  id: Id,
  zone_id: Id,
  name: Type.String({ description: 'As orders keep it' }),
  position: Type.Integer({ description: 'An order takes the first that is offered, unless it names another' }),
  type: OneOf(TYPES),
  cost: Nullable(Type.Number({ description: 'Of flat and free_over' })),
  free_over: Nullable(
    Type.Number({ description: 'Of free_over: from this subtotal after discounts on it costs nothing' }),
  ),
  brackets: Nullable(
    Type.Array(Type.Object({ from: Type.Number(), cost: Type.Number() }), {
      description:
        'Of by_subtotal: the last that the subtotal after discounts reaches; below the first it is not offered',
    }),
  ),
  active: Type.Boolean(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type ShippingMethod = Static<typeof ShippingMethod>;

const Amount = Type.Number({ minimum: 0, maximum: 9_999_999.99 });

const methodFields = {
  position: Type.Optional(Position),
  cost: Type.Optional(Nullable(Amount)),
  free_over: Type.Optional(Nullable(Amount)),
  brackets: Type.Optional(Nullable(Type.Array(Type.Object({ from: Amount, cost: Amount }), { maxItems: 100 }))),
  active: Type.Optional(Type.Boolean()),
};

export const ShippingMethodInput = Type.Object({ zone_id: Id, name: Name, type: OneOf(TYPES), ...methodFields });
export type ShippingMethodInput = Static<typeof ShippingMethodInput>;

export const ShippingMethodPatch = Type.Object({
  zone_id: Type.Optional(Id),
  name: Type.Optional(Name),
  type: Type.Optional(OneOf(TYPES)),
  ...methodFields,
});
export type ShippingMethodPatch = Static<typeof ShippingMethodPatch>;

export const ShippingMethodQuery = Type.Object({ zone_id: Type.Optional(Id), ...pageQuery(25) });
export type ShippingMethodQuery = Static<typeof ShippingMethodQuery>;

const method = { tag: 'Shipping', params: IdParams, data: ShippingMethod, status: 200 } as const;

export const listShippingMethods = {
  method: 'GET',
  path: '/shipping-methods',
  scope: 'settings:read',
  tag: 'Shipping',
  summary: 'List shipping methods',
  description: 'By position.',
  query: ShippingMethodQuery,
  inOrderOf: { by: 'position', id: 'id', direction: 'asc' },
  data: Type.Array(ShippingMethod),
  status: 200,
} as const satisfies Endpoint;

export const getShippingMethod = {
  ...method,
  method: 'GET',
  path: '/shipping-methods/{id}',
  scope: 'settings:read',
  summary: 'Read a shipping method',
} as const satisfies Endpoint;

export const createShippingMethod = {
  method: 'POST',
  path: '/shipping-methods',
  scope: 'settings:write',
  tag: 'Shipping',
  summary: 'Create a shipping method',
  body: ShippingMethodInput,
  data: ShippingMethod,
  status: 201,
} as const satisfies Endpoint;

export const updateShippingMethod = {
  ...method,
  method: 'PATCH',
  path: '/shipping-methods/{id}',
  scope: 'settings:write',
  summary: 'Change a shipping method',
  description: 'With a new `type` its amounts must be given anew.',
  body: ShippingMethodPatch,
} as const satisfies Endpoint;

export const deleteShippingMethod = {
  ...method,
  method: 'DELETE',
  path: '/shipping-methods/{id}',
  scope: 'settings:write',
  summary: 'Delete a shipping method',
  description: 'Returns the method as it was.',
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const shippingMethodEndpoints: readonly Endpoint[] = [
  listShippingMethods,
  getShippingMethod,
  createShippingMethod,
  updateShippingMethod,
  deleteShippingMethod,
];
