import { commerceDescription, commerceError } from './commerce-description.ts';
import { type Description, LICENSE } from './description.ts';

export const storeDescription: Description = {
  ...commerceDescription,
  info: {
    title: 'Tradeloom store interface',
    version: '1',
    summary: 'What visitors of a shop see and do, for browsers and apps.',
    description:
      'Every request carries a public key in `X-Store-Key`, which says whose shop it is and lists the sites whose pages may use it. There are no cookies. A network may send 600 reads and 120 writes a minute. Responses have the form of the commerce API. Those to reads of the catalogue have an `ETag` and may be kept by shared caches for a minute.',
    license: LICENSE,
  },
  securitySchemes: {
    storeKey: { type: 'apiKey', in: 'header', name: 'X-Store-Key', description: 'A public key of the shop' },
    cartToken: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Cart-Token',
      description: 'From the response that created the cart',
    },
    orderToken: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Order-Token',
      description: 'From the response to the payment, and in the link of the confirmation',
    },
    customerToken: { type: 'http', scheme: 'bearer', description: 'From signing in' },
  },
  security: { storeKey: [] },
  headers: {},
  showsLimit: false,
  statuses: {
    ...commerceDescription.statuses,
    401: commerceError(401, 'invalid_key', 'The store key is invalid'),
    403: commerceError(403, 'origin_not_allowed', 'The store key does not list the origin https://other.example'),
    404: commerceError(404, 'not_found', 'No such product'),
    429: commerceError(429, 'rate_limited', 'Rate limit exceeded', { retry_after: 30 }),
  },
};
