import { COMMERCE_VERSION } from '../api/commerce.ts';
import type { Endpoint } from '../api/endpoint.ts';
import { MARKETING_VERSION } from '../api/marketing.ts';
import type { JsonSchema } from '../api/plain-schema.ts';
import type { Surface } from '../api/surface.ts';

/** What the document of one API says beside its endpoints. */
export interface Description {
  info: object;
  securitySchemes: Record<string, object>;
  /** The requirement of an endpoint that needs these scopes. */
  security(scopes: string[]): object;
  publicSecurity: object[];
  /** Headers of every response besides the shared ones. */
  headers: Record<string, object>;
  error: JsonSchema;
  statuses: Record<string, { meaning: string; example: object }>;
  failures(endpoint: Endpoint): number[];
  envelope(body: { data: JsonSchema; example: unknown; paginated: boolean; listAs: string | undefined }): object;
}

const REQUEST_ID = '0f9c2a4e-7d1b-4c55-9a33-2f1f6f0f8f11';
const PAGE = { page: 1, per_page: 25, total: 1, total_pages: 1 };
const license = { name: 'MIT', identifier: 'MIT' };

const text = (description: string, more: JsonSchema = {}): object => ({
  description,
  schema: { type: 'string', ...more },
});
const number = (description: string): object => ({ description, schema: { type: 'integer' } });

/** Parts that both documents have. */
export const SHARED = {
  rateHeaders: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit-Policy', 'RateLimit'],
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Makes the request safe to repeat: for 24 hours the same key with the same request gives the first response again, and what it asks for is done once. Each API key has keys of its own.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  },
  headers: {
    'X-RateLimit-Limit': number('Requests that the key may make in an hour'),
    'X-RateLimit-Remaining': number('Requests left in the current hour'),
    'X-RateLimit-Reset': number('When the current hour ends, in Unix seconds'),
    'RateLimit-Policy': text('The limit as `"hour";q=<requests>;w=<seconds>`', { examples: ['"hour";q=1000;w=3600'] }),
    RateLimit: text('What is left as `"hour";r=<requests>;t=<seconds until the hour ends>`', {
      examples: ['"hour";r=999;t=1800'],
    }),
    'Retry-After': number('Seconds until the next try makes sense'),
    'X-Request-Id': text('Names this request in the log; the one that was sent, if one was'),
    'X-Ignored-Fields': text('Fields of the body that the server does not know, as dotted paths'),
    'Idempotent-Replayed': text('true where the answer is that of an earlier request with the same key', {
      const: 'true',
    }),
  },
  schemas: {
    Pagination: {
      type: 'object',
      required: ['page', 'per_page', 'total', 'total_pages'],
      properties: {
        page: { type: 'integer', minimum: 1 },
        per_page: { type: 'integer', minimum: 1 },
        total: { type: 'integer', minimum: 0 },
        total_pages: { type: 'integer', minimum: 0 },
      },
    },
  },
};

const PAGINATION = { $ref: '#/components/schemas/Pagination' };

const MEANING: Record<number, string> = {
  400: 'Bad request: the request or one of its parameters is invalid',
  401: 'Unauthorized: the API key is missing or invalid',
  403: 'Forbidden: the API key lacks the scope',
  404: 'Not found: the resource does not exist',
  422: 'Unprocessable entity: a field is invalid, or a rule of the business forbids it',
  429: 'Too many requests: the rate limit is exceeded',
  500: 'Internal server error',
};

function commerceError(code: number, reason: string, message: string, details: object = {}) {
  const body = { success: false, error: { message, code, details: { reason, ...details, request_id: REQUEST_ID } } };
  return { meaning: MEANING[code]!, example: body };
}

function marketingError(code: number, error: string, message: string, more: object = {}) {
  return { meaning: MEANING[code]!, example: { error, code, message, details: [], ...more } };
}

const commerce: Description = {
  info: {
    title: 'Tradeloom commerce API',
    version: COMMERCE_VERSION,
    summary: 'Products, orders, customers, subscriptions and loyalty of a shop.',
    description: `Every request carries its key in \`X-API-Key\`. Answers are \`{"success": true, "data": …, "meta": …}\` or \`{"success": false, "error": …}\`, where \`error.details.reason\` is a word for programs. Amounts are in the shop's currency; times are ISO 8601 in UTC. A request may ask for the version by \`API-Version: ${COMMERCE_VERSION}\`.`,
    license,
  },
  securitySchemes: {
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key of the shop' },
  },
  security: (scopes) => ({ apiKey: scopes }),
  publicSecurity: [],
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
              reason: { type: 'string', description: 'What is wrong, as a word that stays the same' },
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
  failures: ({ params, body }) => [
    400,
    401,
    403,
    ...(params === undefined ? [] : [404]),
    ...(body === undefined ? [] : [422]),
    429,
    500,
  ],
  envelope: ({ data, example, paginated }) => ({
    schema: {
      type: 'object',
      required: ['success', 'data', 'meta'],
      properties: {
        success: { const: true },
        data,
        meta: {
          type: 'object',
          required: ['request_id', ...(paginated ? ['pagination'] : [])],
          properties: { request_id: { type: 'string' }, ...(paginated ? { pagination: PAGINATION } : {}) },
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

const marketing: Description = {
  info: {
    title: 'Tradeloom marketing API',
    version: MARKETING_VERSION,
    summary: 'Contacts, events, flows, campaigns and the inbound webhook.',
    description: `Every request carries its key as \`Authorization: Bearer …\` and the company in \`X-Company-ID\`. Answers are the records themselves; errors are \`{"error", "code", "message", "details"}\`. Times are \`YYYY-MM-DD HH:MM:SS\` in UTC. A request may ask for the version by \`X-API-Version: ${MARKETING_VERSION}\`.`,
    license,
  },
  securitySchemes: {
    bearerKey: { type: 'http', scheme: 'bearer', description: 'An API key of the company' },
    company: { type: 'apiKey', in: 'header', name: 'X-Company-ID', description: 'The id of the company of the key' },
    webhookSignature: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Webhook-Signature',
      description:
        "`t=UNIX,v1=HEX`: HMAC-SHA256 with the company's webhook secret over `UNIX.` and the body as it is sent, within five minutes. Over the body alone (in hex, as `sha256=` and hex, or in base64) is taken as well unless the company requires a timestamp, but can be sent again by whoever sees it",
    },
  },
  security: (scopes) => ({ bearerKey: scopes, company: [] }),
  publicSecurity: [{ webhookSignature: [], company: [] }],
  headers: { 'X-API-Version': text('The version that the server speaks', { const: MARKETING_VERSION }) },
  error: {
    type: 'object',
    required: ['error', 'code', 'message', 'details'],
    properties: {
      error: {
        type: 'string',
        enum: ['bad_request', 'unauthorized', 'not_found', 'rate_limit_exceeded', 'internal_error'],
      },
      code: { type: 'integer', description: 'The HTTP status' },
      message: { type: 'string' },
      details: {
        type: 'array',
        description: 'Every field that failed',
        items: {
          type: 'object',
          required: ['field', 'message'],
          properties: { field: { type: 'string' }, message: { type: 'string' } },
        },
      },
      request_id: { type: 'string', description: 'Only with 500' },
    },
  },
  statuses: {
    400: marketingError(400, 'bad_request', 'event_type is required', {
      details: [{ field: 'event_type', message: 'event_type is required' }],
    }),
    401: marketingError(401, 'unauthorized', 'Missing or invalid API key'),
    404: marketingError(404, 'not_found', 'No such flow 7'),
    429: marketingError(429, 'rate_limit_exceeded', 'Rate limit exceeded'),
    500: marketingError(500, 'internal_error', 'Internal server error', { request_id: REQUEST_ID }),
  },
  failures: ({ params, mayFindNothing }) => [
    400,
    401,
    ...(params === undefined && !mayFindNothing ? [] : [404]),
    429,
    500,
  ],
  envelope: ({ data, example, listAs }) => {
    if (listAs === undefined) return { schema: data, example };
    return {
      schema: {
        type: 'object',
        required: [listAs, 'pagination'],
        properties: { [listAs]: data, pagination: PAGINATION },
      },
      example: { [listAs]: example, pagination: PAGE },
    };
  },
};

/** What only the admin app asks for. Its commerce and marketing endpoints have the form of their own API. */
const admin: Description = {
  info: {
    title: 'Tradeloom admin API',
    version: '1',
    summary: 'What the admin app asks for: the commerce and marketing endpoints with a session, accounts, members.',
    description:
      'For the admin app of this server; programs use the commerce and the marketing API. Each request carries the cookie of a session; what is not GET must be sent by a page of this server, with `X-Tradeloom-Admin: 1`. Errors are `{"error", "code", "message", "details"}`.',
    license,
  },
  securitySchemes: {
    session: { type: 'apiKey', in: 'cookie', name: 'tradeloom', description: '`__Host-tradeloom` over https' },
  },
  security: () => ({ session: [] }),
  publicSecurity: [{}],
  headers: {},
  error: {
    ...marketing.error,
    properties: {
      ...(marketing.error.properties as object),
      error: { type: 'string' },
      retry_after: { type: 'integer' },
    },
  },
  statuses: {
    400: marketingError(400, 'validation_failed', 'email is required', {
      details: [{ field: 'email', message: 'email is required' }],
    }),
    401: { ...marketingError(401, 'missing_session', 'You are not signed in'), meaning: 'Unauthorized: not signed in' },
    403: {
      ...marketingError(403, 'forbidden_role', 'Your role does not permit this'),
      meaning: 'Forbidden: the role does not permit it, or it must be confirmed first (`confirmation_required`)',
    },
    404: marketingError(404, 'not_found', 'No such member 7'),
    429: marketingError(429, 'rate_limited', 'Rate limit exceeded'),
    500: marketingError(500, 'internal', 'Internal server error'),
  },
  failures: ({ params }) => [400, 401, 403, ...(params === undefined ? [] : [404]), 429, 500],
  envelope: marketing.envelope,
};

export const DESCRIPTIONS: Record<Surface['name'], Description> = { commerce, marketing, admin };

/** What each group of endpoints is about. */
export const TAGS: Record<string, string> = {
  Products: 'What the shop sells, with its stock.',
  Orders: 'What customers bought, from pending to delivered or cancelled.',
  Customers: 'Who buys.',
  Subscriptions: 'Orders that repeat by themselves.',
  Loyalty: 'Points that customers earn and redeem.',
  'Promo codes': 'Discounts by code.',
  Taxes: 'Which tax applies where.',
  Shipping: 'Zones and what shipping costs there.',
  Settings: 'How the company calculates and sends.',
  Contacts: 'Who may be written to.',
  Forms: 'Signup forms for websites: hosted, as a snippet, or as an address to post to.',
  Lists: 'Contacts gathered by hand.',
  Segments: 'Contacts gathered by rules.',
  Events: 'What contacts did.',
  Flows: 'What happens by itself after an event.',
  Campaigns: 'Messages to many at once.',
  Templates: 'Texts that messages are made from.',
  Webhook: 'Events that other systems send, signed.',
  'Outgoing webhooks': 'Where events are sent to, and whether they arrived.',
  Outbox: 'Events of the shop that the marketing side refused.',
  Mailbox: 'What the built-in mailbox caught instead of sending it.',
  'Sending settings': 'From whom, when and how often messages go out.',
  SMS: 'What the SMS provider sends: words from recipients, and what became of messages.',
  Suppressions: 'Addresses that nothing is sent to, and the reports of bounces and complaints that lead there.',
  Messages: 'What was sent to whom, and what became of it.',
  Accounts: 'People who use the admin app: sign-in, sessions, their own account.',
  Members: 'Who may see a company, as what, and who is invited.',
  'Audit log': 'Who changed what.',
};
