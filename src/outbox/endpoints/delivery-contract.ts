import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Before, Id, IdParams, Nullable, OneOf, pageQuery, RequestIdOfCause } from '../../lib/schemas.ts';

const Moment = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const Delivery = Type.Object({
  delivery_id: Id,
  endpoint_id: Id,
  message_id: Type.String(),
  event_type: Type.String(),
  entity: Type.String(),
  body: Type.String(),
  status: OneOf(DELIVERY_STATUSES),
  attempts: Type.Integer(),
  due_at: Moment,
  response_status: Nullable(Type.Integer()),
  response_body: Nullable(Type.String()),
  error: Nullable(Type.String()),
  created_at: Moment,
  finished_at: Nullable(Moment),
  request_id: RequestIdOfCause,
});
export type Delivery = Static<typeof Delivery>;

export const DeliveryQuery = Type.Object({
  status: Type.Optional(OneOf(DELIVERY_STATUSES)),
  before: Type.Optional(Before('delivery_id')),
  ...pageQuery(20),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

const read = { scope: 'marketing:read', tag: 'Outgoing webhooks', status: 200 } as const;
const write = { scope: 'marketing:write', tag: 'Outgoing webhooks', status: 200 } as const;

export const listDeliveries = {
  ...read,
  method: 'GET',
  path: '/webhook-endpoints/{id}/deliveries',
  summary: 'List the deliveries to an endpoint, newest first',
  description: 'Deliveries are kept for so many days after they ended as the retention settings say, 30 by default.',
  params: IdParams,
  query: DeliveryQuery,
  inOrderOf: { before: 'delivery_id' },
  data: Type.Array(Delivery),
  listAs: 'deliveries',
} as const satisfies Endpoint;

export const replayDeliveries = {
  ...write,
  method: 'POST',
  path: '/webhook-endpoints/replay/{id}',
  summary: 'Send failed deliveries again: all of the endpoint, or those named',
  params: IdParams,
  body: Type.Object({ delivery_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 1_000 })) }),
  bodyOptional: true,
  data: Type.Object({ endpoint_id: Id, replayed: Type.Integer() }),
} as const satisfies Endpoint;

export const pingEndpoint = {
  ...write,
  method: 'POST',
  path: '/webhook-endpoints/test/{id}',
  summary: 'Send an endpoint a delivery of the type ping',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
  data: Delivery,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const webhookDeliveryEndpoints: readonly Endpoint[] = [listDeliveries, replayDeliveries, pingEndpoint];
