import Type, { type Static } from 'typebox';
import { EVERYTHING, SCOPES } from '../../access/scopes.ts';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, Trimmed } from '../../lib/schemas.ts';

const Moment = Type.String({ format: 'date-time' });
const MAX_REQUESTS = 2_000_000_000;

const fields = {
  id: Id,
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  requests_per_hour: Type.Integer({ description: '0: without a limit' }),
  expires_at: Nullable(Moment),
};

export const Key = Type.Object({
  ...fields,
  display: Type.String({ description: 'How it begins' }),
  status: OneOf(['active', 'expired', 'revoked']),
  created_at: Moment,
  revoked_at: Nullable(Moment),
  last_used_at: Nullable(Moment),
});
export type Key = Static<typeof Key>;

export const NewKey = Type.Object({ ...fields, key: Type.String({ description: 'Shown this once' }) });
export type NewKey = Static<typeof NewKey>;

export const KeyInput = Type.Object({
  name: Trimmed({ minLength: 1, maxLength: 100 }),
  scopes: Type.Array(OneOf([...SCOPES, EVERYTHING]), { minItems: 1, maxItems: SCOPES.length + 1 }),
  requests_per_hour: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_REQUESTS, description: '1,000 by default' }),
  ),
  expires_at: Type.Optional(Nullable(Moment)),
});
export type KeyInput = Static<typeof KeyInput>;

const read = { scope: 'keys:read', tag: 'API keys', status: 200 } as const;
const write = { scope: 'keys:write', confirm: true, tag: 'API keys', status: 200 } as const;

export const listKeys = {
  ...read,
  method: 'GET',
  path: '/keys',
  summary: 'List API keys',
  description: 'Those that have ended as well; the texts of keys are not stored.',
  data: Type.Object({ keys: Type.Array(Key) }),
} as const satisfies Endpoint;

export const createKey = {
  ...write,
  method: 'POST',
  path: '/keys',
  summary: 'Create an API key',
  body: KeyInput,
  data: NewKey,
  status: 201,
  returnsSecret: true,
} as const satisfies Endpoint;

export const rotateKey = {
  ...write,
  method: 'POST',
  path: '/keys/rotate/{id}',
  summary: 'Replace an API key',
  description: "A new key with the old one's name, scopes and limit. The old one ends after the overlap.",
  params: IdParams,
  body: Type.Object({
    overlap_hours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, description: '24 by default' })),
  }),
  bodyOptional: true,
  data: NewKey,
  status: 201,
  returnsSecret: true,
} as const satisfies Endpoint;

export const revokeKey = {
  ...write,
  method: 'DELETE',
  path: '/keys/{id}',
  summary: 'Revoke an API key',
  description: 'It is refused everywhere within a second.',
  params: IdParams,
  data: Key,
} as const satisfies Endpoint;

export const keyEndpoints: readonly Endpoint[] = [listKeys, createKey, rotateKey, revokeKey];
