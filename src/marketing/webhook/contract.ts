import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { SentEvent } from '../events/contract.ts';

export const receiveWebhook = {
  method: 'POST',
  path: '/webhook',
  scope: 'public',
  tag: 'Webhook',
  summary: 'Take in events from a shop or a till',
  description:
    'One event as for POST /events, or `{"events": […]}` with up to 500. Signed with the company’s webhook secret over a timestamp and the body’s bytes; Standard Webhooks headers are accepted as well, and their webhook-id is the id of an event that brings none. `accepted` and `duplicates` are numbers; the events are on disk before the response.',
  body: SentEvent,
  bodyLimit: 256 * 1024,
  data: Type.Object({
    received: Type.Boolean(),
    accepted: Type.Integer(),
    duplicates: Type.Integer(),
    rejected: Type.Array(Type.Object({ index: Type.Integer(), message: Type.String() })),
  }),
  status: 200,
  replaysForSender: true,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const webhookEndpoints: readonly Endpoint[] = [receiveWebhook];
