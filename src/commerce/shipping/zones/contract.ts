import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, pageQuery, Trimmed } from '../../../lib/schemas.ts';

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

/** `10001`, a prefix `SW1*`, or a range `10000...19999`. */
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
  states: Type.Optional(
    Type.Array(
      Trimmed({
        minLength: 1,
        maxLength: 100,
        description: 'A code by ISO 3166-2 or an English name; kept as the code',
      }),
      { maxItems: 300 },
    ),
  ),
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

const zone = { tag: 'Shipping', params: IdParams, data: ShippingZone, status: 200 } as const;

export const listShippingZones = {
  method: 'GET',
  path: '/shipping-zones',
  scope: 'settings:read',
  tag: 'Shipping',
  summary: 'List shipping zones',
  description: 'By position. The most specific zone serves an address, among equals the first.',
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'position', id: 'id', direction: 'asc' },
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
  description: 'Returns the zone as it was. Orders keep the name of their method.',
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const shippingZoneEndpoints: readonly Endpoint[] = [
  listShippingZones,
  getShippingZone,
  createShippingZone,
  updateShippingZone,
  deleteShippingZone,
];
