import type { Endpoint } from '../api/endpoint.ts';
import type { JsonSchema } from '../api/plain-schema.ts';

/** The contents of an API's document that do not come from its endpoints. */
export interface Description {
  info: object;
  securitySchemes: Record<string, object>;
  /** The security requirement of an endpoint that needs these scopes. */
  security: object;
  publicSecurity: object[];
  /** Whether responses have the headers of the key's limit. */
  showsLimit: boolean;
  /** Headers of every response in addition to the shared ones. */
  headers: Record<string, object>;
  error: JsonSchema;
  statuses: Record<string, { meaning: string; example: object }>;
  failures(endpoint: Endpoint): number[];
  envelope(body: {
    data: JsonSchema;
    example: unknown;
    paginated: boolean;
    listAs: string | undefined;
    /** Optional members of `meta`. */
    meta: Record<string, JsonSchema>;
  }): object;
}

/** Values shown in the examples of the documents. */
export const REQUEST_ID = '0f9c2a4e-7d1b-4c55-9a33-2f1f6f0f8f11';
export const PAGE = { page: 1, per_page: 25, total: 1, total_pages: 1 };

export const LICENSE = { name: 'MIT', identifier: 'MIT' };

export const PAGINATION = { $ref: '#/components/schemas/Pagination' };

export const MEANING: Record<number, string> = {
  400: 'Bad request: the request or one of its parameters is invalid',
  401: 'Unauthorized: the API key is missing or invalid',
  403: 'Forbidden: the API key lacks the scope',
  404: 'Not found: the resource does not exist',
  422: 'Unprocessable entity: a field is invalid, or a rule of the business forbids it',
  429: 'Too many requests: the rate limit is exceeded',
  500: 'Internal server error',
};

/** A header with a text. */
export const text = (description: string, more: JsonSchema = {}): object => ({
  description,
  schema: { type: 'string', ...more },
});

/** A header with an integer. */
export const number = (description: string): object => ({ description, schema: { type: 'integer' } });
