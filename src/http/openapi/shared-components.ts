import { FORMATS } from '../api/endpoint.ts';
import { number, text } from './description.ts';

/** Components common to the documents. */
export const SHARED = {
  rateHeaders: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit-Policy', 'RateLimit'],
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Makes the request safe to repeat: for 24 hours, the same key with the same request returns the first response again and has no further effect. Keys are scoped to the API key.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
    Format: {
      name: 'format',
      in: 'query',
      description:
        'Returns all matching records as a streamed file: CSV, or JSON Lines with one record per line. Replaces `page`, `per_page` and cursors; in the order of `sort` if the list has it.',
      schema: { type: 'string', enum: Object.keys(FORMATS) },
    },
    IfNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      description:
        'Of an earlier response, its `ETag`: if nothing has changed since, the response is 304 without a body.',
      schema: { type: 'string' },
    },
    IfMatch: {
      name: 'If-Match',
      in: 'header',
      description:
        'Changes the record only if it still has this `revision`, in quotation marks. Otherwise the request is refused with `revision_mismatch` and changes nothing.',
      schema: { type: 'string', maxLength: 255, examples: ['"7"'] },
    },
  },
  headers: {
    'X-RateLimit-Limit': number('Requests that the key may make in an hour'),
    'X-RateLimit-Remaining': number('Requests left in the current hour'),
    'X-RateLimit-Reset': number('When the current hour ends, in Unix seconds'),
    'RateLimit-Policy': text('The limit as `"hour";q=<requests>;w=<seconds>`', { examples: ['"hour";q=1000;w=3600'] }),
    RateLimit: text('Remaining requests as `"hour";r=<requests>;t=<seconds until the hour ends>`', {
      examples: ['"hour";r=999;t=1800'],
    }),
    'Retry-After': number('Seconds until the next try makes sense'),
    'X-Request-Id': text('Identifies the request in the log; that of the request, if it has one'),
    'X-Ignored-Fields': text('Fields of the body that the server does not know, as dotted paths'),
    'X-Ignored-Parameters': text('Parameters of the query that the server does not know'),
    ETag: text('Changes with the content of the response'),
    'Idempotent-Replayed': text('true where the response is that of an earlier request with the same key', {
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
