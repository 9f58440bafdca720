import { COMMERCE_VERSION } from '../api/surfaces/commerce.ts';
import { type Description, LICENSE, MEANING, PAGE, PAGINATION, REQUEST_ID, text } from './description.ts';

export function commerceError(code: number, reason: string, message: string, details: object = {}) {
  const body = { success: false, error: { message, code, details: { reason, ...details, request_id: REQUEST_ID } } };
  return { meaning: MEANING[code]!, example: body };
}

export const commerceDescription: Description = {
  info: {
    title: 'Tradeloom commerce API',
    version: COMMERCE_VERSION,
    summary: 'Products, orders, customers, subscriptions and loyalty of a shop.',
    description: `Every request carries its key in \`X-API-Key\`. Responses are \`{"success": true, "data": …, "meta": …}\` or \`{"success": false, "error": …}\`, where \`error.details.reason\` is a machine-readable error code. Amounts are in the shop's currency; times are ISO 8601 in UTC. A request may ask for the version by \`API-Version: ${COMMERCE_VERSION}\`.`,
    license: LICENSE,
  },
  securitySchemes: {
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key of the shop' },
  },
  security: { apiKey: [] },
  publicSecurity: [],
  showsLimit: true,
  headers: { 'API-Version': text('The version that the server speaks', { const: COMMERCE_VERSION }) },
  error: {
    type: 'object',
    required: ['success', 'error'],
    properties: {
      success: { const: false },
      error: {
        type: 'object',
        required: ['message', 'code', 'details'],
        properties: {
          message: { type: 'string' },
          code: { type: 'integer', description: 'The HTTP status' },
          details: {
            type: 'object',
            required: ['reason', 'request_id'],
            properties: {
              reason: { type: 'string', description: 'A machine-readable error code (docs/errors.md lists all)' },
              request_id: { type: 'string' },
              fields: {
                type: 'array',
                description: 'Every field that failed, where reason is validation_failed',
                items: {
                  type: 'object',
                  required: ['field', 'code', 'message'],
                  properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
                },
              },
            },
            additionalProperties: true,
          },
        },
      },
    },
  },
  statuses: {
    400: commerceError(400, 'validation_failed', 'page must be >= 1'),
    401: commerceError(401, 'invalid_key', 'The API key is invalid'),
    403: commerceError(403, 'missing_scope', 'The API key lacks the scope orders:write', { required: 'orders:write' }),
    404: commerceError(404, 'not_found', 'No such order 7'),
    422: commerceError(422, 'validation_failed', 'email is required', {
      fields: [{ field: 'email', code: 'required', message: 'email is required' }],
    }),
    429: commerceError(429, 'rate_limited', 'Rate limit exceeded', { retry_after: 1_200 }),
    500: commerceError(500, 'internal', 'Internal server error'),
  },
  failures: ({ params, body, mayRefuse, mayFindNothing }) => [
    400,
    401,
    403,
    ...(params === undefined && !mayFindNothing ? [] : [404]),
    ...(body === undefined && !mayRefuse ? [] : [422]),
    429,
    500,
  ],
  envelope: ({ data, example, paginated, meta }) => ({
    schema: {
      type: 'object',
      required: ['success', 'data', 'meta'],
      properties: {
        success: { const: true },
        data,
        meta: {
          type: 'object',
          required: ['request_id', ...(paginated ? ['pagination'] : [])],
          properties: { request_id: { type: 'string' }, ...(paginated ? { pagination: PAGINATION } : {}), ...meta },
        },
      },
    },
    example: {
      success: true,
      data: example,
      meta: { request_id: REQUEST_ID, ...(paginated ? { pagination: PAGE } : {}) },
    },
  }),
};
