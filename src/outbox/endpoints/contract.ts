import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { SHOP_EVENTS, type ShopTopic } from '../shop-events.ts';

const Moment = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

const fields = {
  endpoint_id: Id,
  url: Type.String(),
  event_types: Type.Array(Type.String(), { description: 'Empty: all that the shop does' }),
  description: Type.String(),
  active: Type.Boolean(),
  disabled_reason: Nullable(Type.String()),
  failing_since: Nullable(Moment),
  created_at: Moment,
  updated_at: Moment,
};
export const WebhookEndpoint = Type.Object(fields);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

const NewEndpoint = Type.Object({ ...fields, secret: Type.String({ description: 'Shown this once' }) });

const Url = Trimmed({ minLength: 1, maxLength: 2_000, description: 'https, on the public internet' });
const EventTypes = Type.Array(OneOf(Object.keys(SHOP_EVENTS) as ShopTopic[]), {
  maxItems: 50,
  description: 'Empty: all that the shop does',
});

export const EndpointInput = Type.Object({
  url: Url,
  event_types: Type.Optional(EventTypes),
  description: Type.Optional(Trimmed({ maxLength: 500 })),
});
export type EndpointInput = Static<typeof EndpointInput>;

export const EndpointPatch = Type.Object({
  url: Type.Optional(Url),
  event_types: Type.Optional(EventTypes),
  description: Type.Optional(Trimmed({ maxLength: 500 })),
  active: Type.Optional(Type.Boolean()),
});
export type EndpointPatch = Static<typeof EndpointPatch>;

const read = { scope: 'marketing:read', tag: 'Outgoing webhooks', status: 200 } as const;
const write = { scope: 'marketing:write', tag: 'Outgoing webhooks', status: 200 } as const;

export const listEndpoints = {
  ...read,
  method: 'GET',
  path: '/webhook-endpoints',
  summary: 'List webhook endpoints',
  query: Type.Object(pageQuery(20)),
  inOrderOf: { by: 'endpoint_id', direction: 'asc' },
  data: Type.Array(WebhookEndpoint),
  listAs: 'webhook_endpoints',
} as const satisfies Endpoint;

export const createEndpoint = {
  ...write,
  method: 'POST',
  path: '/webhook-endpoints',
  confirm: true,
  summary: 'Add an endpoint',
  description:
    'Requests are signed as Standard Webhooks says (webhook-id, webhook-timestamp, webhook-signature) and carry X-Webhook-Signature and X-Company-ID, so that another installation’s webhook takes them.',
  body: EndpointInput,
  data: NewEndpoint,
  status: 201,
  returnsSecret: true,
} as const satisfies Endpoint;

export const getEndpoint = {
  ...read,
  method: 'GET',
  path: '/webhook-endpoints/{id}',
  summary: 'Read an endpoint',
  params: IdParams,
  data: WebhookEndpoint,
} as const satisfies Endpoint;

export const updateEndpoint = {
  ...write,
  confirm: true,
  method: 'PATCH',
  path: '/webhook-endpoints/{id}',
  summary: 'Change an endpoint, or switch it off or on again',
  description: 'What waits for an endpoint that is switched off ends as failed, and can be replayed.',
  params: IdParams,
  body: EndpointPatch,
  data: WebhookEndpoint,
} as const satisfies Endpoint;

export const deleteEndpoint = {
  ...write,
  method: 'DELETE',
  path: '/webhook-endpoints/{id}',
  summary: 'Remove an endpoint with its deliveries',
  params: IdParams,
  data: Type.Object({ endpoint_id: Id, deleted: Type.Boolean() }),
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const webhookEndpointEndpoints: readonly Endpoint[] = [
  listEndpoints,
  createEndpoint,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
];
