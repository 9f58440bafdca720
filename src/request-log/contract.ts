import Type, { type Static } from 'typebox';
import type { Endpoint } from '../http/api/endpoint.ts';
import { Id, Nullable, OneOf, pageQuery } from '../lib/schemas.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export const STATUS_CLASSES = ['2xx', '4xx', '5xx'] as const;

export const LoggedRequest = Type.Object({
  id: Id,
  at: Type.String({ format: 'date-time' }),
  api: OneOf(['commerce', 'marketing']),
  method: Type.String(),
  path: Type.String({
    description: 'Without its query. Parts that are neither ids nor names of the API are shown as `…`',
  }),
  status: Type.Integer(),
  duration_ms: Type.Number({ description: 'From the first byte of the request to the last of the response' }),
  key_id: Nullable(Type.Integer({ description: 'Null for the signed webhook' })),
  key_name: Nullable(Type.String()),
  request_id: Type.String({ description: 'X-Request-Id of the response' }),
  error: Nullable(Type.String({ description: 'The code of the error' })),
  fields: Nullable(Type.String({ description: 'The names of the fields at fault' })),
  left_out: Type.Integer({ description: 'So many requests before it were not recorded, because there were too many' }),
});
export type LoggedRequest = Static<typeof LoggedRequest>;

const RequestQuery = Type.Object({
  ...pageQuery(25),
  key_id: Type.Optional(Id),
  status: Type.Optional(OneOf(STATUS_CLASSES)),
  method: Type.Optional(OneOf(METHODS)),
  path: Type.Optional(Type.String({ maxLength: 200, description: 'Or its beginning: `/commerce/v1/orders`' })),
  error: Type.Optional(Type.String({ maxLength: 64, description: 'The code: `validation_failed`' })),
  request_id: Type.Optional(Type.String({ maxLength: 128 })),
});
export type RequestQuery = Static<typeof RequestQuery>;

export const listRequests = {
  method: 'GET',
  path: '/requests',
  scope: 'keys:read',
  tag: 'Requests',
  summary: 'List the latest requests of the API keys',
  description:
    'The latest first, after a second or two. About 20,000 are kept, for as many days as `requests_days` of the retention settings says. Of very many requests in a second some are left out, of those that failed last.',
  query: RequestQuery,
  inOrderOf: { behind: true },
  data: Type.Array(LoggedRequest),
  listAs: 'requests',
  status: 200,
} as const satisfies Endpoint;

export const requestLogEndpoints: readonly Endpoint[] = [listRequests];
