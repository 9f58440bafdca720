import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';

export const ShippingZone = Type.Object({
  id: Id,
  name: Type.String(),
  position: Type.Integer(),
  countries: Type.Array(Type.String(), { description: 'ISO 3166 alpha-2; none: every country' }),
  states: Type.Array(Type.String()),
  zip_patterns: Type.Array(Type.String()),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type ShippingZone = Static<typeof ShippingZone>;

/** `10001`, a beginning `SW1*`, or a range `10000...19999`. */
const CODE = '[A-Za-z0-9](?:[A-Za-z0-9 -]{0,18}[A-Za-z0-9])?';
const ZIP_PATTERN = `^${CODE}(?:\\*|\\.\\.\\.${CODE})?$`;
const Position = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const Name = Trimmed({ minLength: 1, maxLength: 100 });

const zoneFields = {
  position: Type.Optional(Position),
  countries: Type.Optional(
    Type.Array(Trimmed({ minLength: 1, maxLength: 100, description: 'ISO 3166 code or English name' }), {
      maxItems: 300,
    }),
  ),
  states: Type.Optional(Type.Array(Trimmed({ minLength: 1, maxLength: 100 }), { maxItems: 300 })),
  zip_patterns: Type.Optional(
    Type.Array(
      Type.String({
        pattern: ZIP_PATTERN,
        description: 'A code (10001), a beginning (SW1*) or a range (10000...19999)',
      }),
      { maxItems: 1_000 },
    ),
  ),
};

export const ShippingZoneInput = Type.Object({ name: Name, ...zoneFields });
export type ShippingZoneInput = Static<typeof ShippingZoneInput>;

export const ShippingZonePatch = Type.Object({ name: Type.Optional(Name), ...zoneFields });
export type ShippingZonePatch = Static<typeof ShippingZonePatch>;

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

const zone = { tag: 'Shipping', params: IdParams, data: ShippingZone, status: 200 } as const;
const method = { tag: 'Shipping', params: IdParams, data: ShippingMethod, status: 200 } as const;

export const listShippingZones = {
  method: 'GET',
  path: '/shipping-zones',
  scope: 'settings:read',
  tag: 'Shipping',
  summary: 'List shipping zones',
  description: 'By position. The most specific zone serves an address, among equals the first.',
  query: Type.Object(pageQuery(25)),
  data: Type.Array(ShippingZone),
  status: 200,
} as const satisfies Endpoint;

export const getShippingZone = {
  ...zone,
  method: 'GET',
  path: '/shipping-zones/{id}',
  scope: 'settings:read',
  summary: 'Read a shipping zone',
} as const satisfies Endpoint;

export const createShippingZone = {
  method: 'POST',
  path: '/shipping-zones',
  scope: 'settings:write',
  tag: 'Shipping',
  summary: 'Create a shipping zone',
  description:
    'Without countries, states and patterns it is everywhere. Nothing is shipped there until it has a method.',
  body: ShippingZoneInput,
  data: ShippingZone,
  status: 201,
} as const satisfies Endpoint;

export const updateShippingZone = {
  ...zone,
  method: 'PATCH',
  path: '/shipping-zones/{id}',
  scope: 'settings:write',
  summary: 'Change a shipping zone',
  body: ShippingZonePatch,
} as const satisfies Endpoint;

export const deleteShippingZone = {
  ...zone,
  method: 'DELETE',
  path: '/shipping-zones/{id}',
  scope: 'settings:write',
  summary: 'Delete a shipping zone with its methods',
  description: 'Answers with the zone as it was. Orders keep the name of their method.',
} as const satisfies Endpoint;

export const listShippingMethods = {
  method: 'GET',
  path: '/shipping-methods',
  scope: 'settings:read',
  tag: 'Shipping',
  summary: 'List shipping methods',
  description: 'By position.',
  query: ShippingMethodQuery,
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
  description: 'Answers with the method as it was.',
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const shippingEndpoints: readonly Endpoint[] = [
  listShippingZones,
  getShippingZone,
  createShippingZone,
  updateShippingZone,
  deleteShippingZone,
  listShippingMethods,
  getShippingMethod,
  createShippingMethod,
  updateShippingMethod,
  deleteShippingMethod,
];
