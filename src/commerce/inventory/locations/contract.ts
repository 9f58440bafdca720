import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, pageQuery, Trimmed } from '../../../lib/schemas.ts';

export const Location = Type.Object({
  id: Id,
  name: Type.String(),
  main: Type.Boolean({ description: 'One location of the shop, online and active for good' }),
  online: Type.Boolean({
    description: 'Whether its stock is part of `stock_qty`. Stock elsewhere is sold by orders that name the location',
  }),
  active: Type.Boolean({ description: 'false: closed' }),
  position: Type.Integer({ description: 'Orders take stock from the first location that has it' }),
  address: Nullable(Type.String()),
  city: Nullable(Type.String()),
  zip: Nullable(Type.String()),
  state: Nullable(Type.String()),
  country: Nullable(Type.String({ description: 'ISO 3166 alpha-2' })),
  created_at: Type.String({ format: 'date-time' }),
});
export type Location = Static<typeof Location>;

export const MAX_POSITION = 10_000;
const Name = Trimmed({ minLength: 1, maxLength: 100 });
const fields = {
  online: Type.Optional(Type.Boolean()),
  position: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_POSITION, description: 'Last where absent' })),
  address: Type.Optional(Nullable(Trimmed({ maxLength: 500 }))),
  city: Type.Optional(Nullable(Trimmed({ maxLength: 200 }))),
  zip: Type.Optional(Nullable(Trimmed({ maxLength: 20 }))),
  state: Type.Optional(
    Nullable(Trimmed({ maxLength: 100, description: 'A code by ISO 3166-2 or an English name; kept as the code' })),
  ),
  country: Type.Optional(Nullable(Trimmed({ maxLength: 100, description: 'ISO 3166 code or English name' }))),
};

export const LocationInput = Type.Object({ name: Name, ...fields });
export type LocationInput = Static<typeof LocationInput>;

export const LocationPatch = Type.Object({
  name: Type.Optional(Name),
  active: Type.Optional(Type.Boolean({ description: 'false closes it, true opens it again' })),
  ...fields,
});
export type LocationPatch = Static<typeof LocationPatch>;

const common = { tag: 'Inventory', status: 200 } as const;

export const listLocations = {
  ...common,
  method: 'GET',
  path: '/locations',
  scope: 'inventory:read',
  summary: 'List locations',
  description: 'By position, closed ones included. A shop starts with one, its main location.',
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'position', id: 'id', direction: 'asc' },
  data: Type.Array(Location),
} as const satisfies Endpoint;

export const getLocation = {
  ...common,
  method: 'GET',
  path: '/locations/{id}',
  scope: 'inventory:read',
  summary: 'Read a location',
  params: IdParams,
  data: Location,
} as const satisfies Endpoint;

export const createLocation = {
  ...common,
  method: 'POST',
  path: '/locations',
  scope: 'inventory:write',
  summary: 'Create a location',
  description: 'Without stock. Online unless `online` is false.',
  body: LocationInput,
  data: Location,
  status: 201,
} as const satisfies Endpoint;

export const updateLocation = {
  ...common,
  method: 'PATCH',
  path: '/locations/{id}',
  scope: 'inventory:write',
  summary: 'Change, close or reopen a location',
  description:
    'A location is closed, or its `online` changed, only while it has no stock, reservations and open transfers (`location_not_empty`). The main location is always online and active.',
  params: IdParams,
  body: LocationPatch,
  data: Location,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const locationEndpoints: readonly Endpoint[] = [listLocations, getLocation, createLocation, updateLocation];
