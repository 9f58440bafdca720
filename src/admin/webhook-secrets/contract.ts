import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf } from '../../lib/schemas.ts';

const Moment = Type.String({ format: 'date-time' });

const fields = {
  id: Id,
  created_at: Moment,
  expires_at: Nullable(Type.String({ format: 'date-time', description: 'Null for the one that signs from now on' })),
};

export const WebhookSecret = Type.Object({ ...fields, status: OneOf(['active', 'expiring', 'expired']) });
export type WebhookSecret = Static<typeof WebhookSecret>;

export const ShownSecret = Type.Object({
  ...fields,
  secret: Type.String({ description: 'All of it, `whsec_` included, is the key of X-Webhook-Signature' }),
});
export type ShownSecret = Static<typeof ShownSecret>;

export const WebhookSecrets = Type.Object({
  url: Type.String({ description: 'Where events are sent to' }),
  require_timestamp: Type.Boolean({ description: 'Signatures without a timestamp are refused' }),
  secrets: Type.Array(WebhookSecret),
});
export type WebhookSecrets = Static<typeof WebhookSecrets>;

const read = { scope: 'keys:read', tag: 'Webhook secrets', status: 200 } as const;
const write = { scope: 'keys:write', confirm: true, tag: 'Webhook secrets' } as const;

export const listWebhookSecrets = {
  ...read,
  method: 'GET',
  path: '/webhook-secrets',
  summary: 'List the secrets of the webhook that takes events in',
  description: 'The newest first, without their texts.',
  data: WebhookSecrets,
} as const satisfies Endpoint;

export const showWebhookSecret = {
  ...write,
  method: 'POST',
  path: '/webhook-secrets/show/{id}',
  summary: 'Show a secret',
  description: 'The audit log records each view.',
  params: IdParams,
  data: ShownSecret,
  status: 200,
  returnsSecret: true,
} as const satisfies Endpoint;

export const rotateWebhookSecret = {
  ...write,
  method: 'POST',
  path: '/webhook-secrets/rotate',
  summary: 'Replace the secret',
  description: 'The old ones are accepted until the overlap is over; 0 ends them within a second.',
  body: Type.Object({
    overlap_hours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, description: '24 by default' })),
  }),
  bodyOptional: true,
  data: ShownSecret,
  status: 201,
  returnsSecret: true,
} as const satisfies Endpoint;

export const webhookSecretEndpoints: readonly Endpoint[] = [listWebhookSecrets, showWebhookSecret, rotateWebhookSecret];
