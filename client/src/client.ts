import type { endpoints as CommerceEndpoints } from './generated/commerce.ts';
import type { endpoints as MarketingEndpoints } from './generated/marketing.ts';
import { originOf } from './origin.ts';
import { enveloped, type Page, type Pagination, type Surface, surfaceOf } from './surface.ts';
import type { ClientOptions } from './transport.ts';

export interface Client {
  /** Products, orders, customers, subscriptions, loyalty. Calls return the `data` of the response. */
  commerce: Surface<CommerceEndpoints>;
  /** Contacts, events, flows, campaigns. Calls return the body of the response. */
  marketing: Surface<MarketingEndpoints>;
}

/**
 * Creates a client for one company. It holds no connection and may be kept for as long as the program runs. Throws a
 * TypeError where `origin` is not the address of a server.
 */
export function createClient(given: ClientOptions): Client {
  const options = { ...given, origin: originOf(given.origin) };
  const { apiKey, companyId } = options;
  return {
    commerce: surfaceOf<CommerceEndpoints>(options, {
      ...enveloped,
      prefix: '/commerce/v1',
      headers: { 'X-API-Key': apiKey },
    }),
    marketing: surfaceOf<MarketingEndpoints>(options, {
      prefix: '/marketing/v1',
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...(companyId === undefined ? {} : { 'X-Company-ID': String(companyId) }),
      },
      unwrap: (body) => body,
      pageOf: marketingPage,
    }),
  };
}

/** A list of the marketing API has its records next to `pagination`, under the name of the resource. */
function marketingPage(body: unknown): Page<unknown> {
  const { pagination, ...named } = body as { pagination: Pagination } & Record<string, unknown>;
  return { items: Object.values(named).find((value) => Array.isArray(value)) ?? [], pagination };
}

export { ApiError, ConnectionError, type FieldError, RedirectError, TradeloomError } from './errors.ts';
export type { endpoints as CommerceEndpoints, schemas as CommerceSchemas } from './generated/commerce.ts';
export { CATALOGUE, type ErrorCode } from './generated/errors.ts';
export type {
  endpoints as MarketingEndpoints,
  schemas as MarketingSchemas,
  webhooks as Webhooks,
} from './generated/marketing.ts';
export type { endpoints as StoreEndpoints, schemas as StoreSchemas } from './generated/store.ts';
export { createStore, type StoreOptions } from './store.ts';
export type { ApiResponse, Page, Pagination, RequestOptions, Surface } from './surface.ts';
export type { ClientOptions, ConnectionOptions } from './transport.ts';
export {
  signWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from './webhooks.ts';
