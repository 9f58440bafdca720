import type { Description } from './description.ts';
import { LICENSE } from './description.ts';
import { marketingDescription, marketingError } from './marketing-description.ts';

/** Describes requests that only the admin app sends. Its commerce and marketing endpoints have the form of their own API. */
export const adminDescription: Description = {
  info: {
    title: 'Tradeloom admin API',
    version: '1',
    summary: 'The API of the admin app: the commerce and marketing endpoints with a session, accounts, members.',
    description:
      'For the admin app of this server; programs use the commerce and the marketing API. Each request carries the cookie of a session; what is not GET must be sent by a page of this server, with `X-Tradeloom-Admin: 1`. Errors are `{"error", "code", "message", "details"}`.',
    license: LICENSE,
  },
  securitySchemes: {
    session: { type: 'apiKey', in: 'cookie', name: 'tradeloom', description: '`__Host-tradeloom` over https' },
  },
  security: { session: [] },
  showsLimit: true,
  publicSecurity: [{}],
  headers: {},
  error: {
    ...marketingDescription.error,
    properties: {
      ...(marketingDescription.error.properties as object),
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
  envelope: marketingDescription.envelope,
};
