import { MARKETING_VERSION } from '../api/surfaces/marketing.ts';
import { type Description, LICENSE, MEANING, PAGE, PAGINATION, REQUEST_ID, text } from './description.ts';

export function marketingError(code: number, error: string, message: string, more: object = {}) {
  return { meaning: MEANING[code]!, example: { error, code, message, details: [], ...more } };
}

export const marketingDescription: Description = {
  info: {
    title: 'Tradeloom marketing API',
    version: MARKETING_VERSION,
    summary: 'Contacts, events, flows, campaigns and the inbound webhook.',
    description: `Every request carries its key as \`Authorization: Bearer …\` and the company in \`X-Company-ID\`. Responses are the records themselves; errors are \`{"error", "code", "message", "details"}\`. Times are \`YYYY-MM-DD HH:MM:SS\` in UTC. A request may ask for the version by \`X-API-Version: ${MARKETING_VERSION}\`.`,
    license: LICENSE,
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
  security: { bearerKey: [], company: [] },
  showsLimit: true,
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
    401: marketingError(401, 'unauthorized', 'The API key lacks the scope marketing:write'),
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
