import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, Trimmed } from '../../lib/schemas.ts';

const Moment = Type.String({ format: 'date-time' });

export const StoreKey = Type.Object({
  id: Id,
  key: Type.String({ description: 'For the header `X-Store-Key`. Not a secret: every visitor of the shop may see it' }),
  name: Type.String(),
  origins: Type.Array(Type.String(), { description: 'The sites whose pages may use it' }),
  location_id: Nullable(Id),
  created_at: Moment,
  revoked_at: Nullable(Moment),
});
export type StoreKey = Static<typeof StoreKey>;

const Origins = Type.Array(Trimmed({ minLength: 1, maxLength: 300 }), {
  maxItems: 50,
  description:
    'Such as `https://shop.example.com`: scheme, host and, where it is not the usual one, port. Apps and servers need none',
});
const LocationId = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The location that what is bought with the key is taken from; otherwise wherever it is in stock',
  }),
);
const Name = Trimmed({ minLength: 1, maxLength: 100 });

export const StoreKeyInput = Type.Object({
  name: Name,
  origins: Type.Optional(Origins),
  location_id: Type.Optional(LocationId),
});
export type StoreKeyInput = Static<typeof StoreKeyInput>;

export const StoreKeyPatch = Type.Object({
  name: Type.Optional(Name),
  origins: Type.Optional(Origins),
  location_id: Type.Optional(LocationId),
});
export type StoreKeyPatch = Static<typeof StoreKeyPatch>;

const read = { scope: 'keys:read', tag: 'Store keys', status: 200 } as const;
const write = { scope: 'keys:write', tag: 'Store keys', status: 200 } as const;

export const listStoreKeys = {
  ...read,
  method: 'GET',
  path: '/store-keys',
  summary: 'List store keys',
  description: 'Revoked ones as well.',
  data: Type.Object({ store_keys: Type.Array(StoreKey) }),
} as const satisfies Endpoint;

export const getStoreKey = {
  ...read,
  method: 'GET',
  path: '/store-keys/{id}',
  summary: 'Read a store key',
  params: IdParams,
  data: StoreKey,
} as const satisfies Endpoint;

export const createStoreKey = {
  ...write,
  method: 'POST',
  path: '/store-keys',
  summary: 'Create a store key',
  description: 'For the browsers and apps of shoppers: it opens what every visitor may see, on the listed sites.',
  body: StoreKeyInput,
  data: StoreKey,
  status: 201,
} as const satisfies Endpoint;

export const updateStoreKey = {
  ...write,
  method: 'PATCH',
  path: '/store-keys/{id}',
  summary: 'Change the sites of a store key',
  description: 'Sets the fields that are given. Holds everywhere within a second. A revoked key cannot be changed.',
  params: IdParams,
  body: StoreKeyPatch,
  data: StoreKey,
} as const satisfies Endpoint;

export const revokeStoreKey = {
  ...write,
  method: 'DELETE',
  path: '/store-keys/{id}',
  summary: 'Revoke a store key',
  description: 'It is refused everywhere within a second.',
  params: IdParams,
  data: StoreKey,
} as const satisfies Endpoint;

export const storeKeyEndpoints: readonly Endpoint[] = [
  listStoreKeys,
  getStoreKey,
  createStoreKey,
  updateStoreKey,
  revokeStoreKey,
];
