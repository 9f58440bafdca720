import Type, { type TSchema } from 'typebox';
import type { Webhook } from '../../../http/openapi/webhooks.ts';
import { SHOP_EVENTS } from '../../shop-events.ts';

const HEADERS: Webhook['headers'] = [
  {
    name: 'webhook-id',
    description:
      'Identifies the event, like `event_id`; the same for each attempt. Ignore ids that were already processed.',
    schema: { type: 'string' },
  },
  {
    name: 'webhook-timestamp',
    description: 'When this attempt was signed, in Unix seconds. Refuse attempts more than five minutes off.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and, in base64, HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`; its key is the part of the secret after `whsec_`, decoded from base64 (Standard Webhooks)',
    schema: { type: 'string' },
  },
  {
    name: 'X-Webhook-Signature',
    description: "`t=UNIX,v1=HEX`, which another installation's `POST /webhook` accepts",
    schema: { type: 'string' },
  },
  { name: 'X-Company-ID', description: 'The company that the event belongs to', schema: { type: 'string' } },
];

const RETRIES =
  'The delivery is retried after 5 seconds, then 10, 20 … up to 4 hours apart, for 24 hours; then it has failed and can be replayed. Later events about the same order, subscription or customer wait for it. An endpoint without a success for 3 days is switched off.';

function webhookOf(name: string, summary: string, data: TSchema): Webhook {
  const body = Type.Object({
    event_type: Type.Literal(name),
    ...(name === PING ? {} : { event_id: Type.String({ examples: ['msg_1_42'] }) }),
    event_data: data,
    occurred_at: Type.String({ format: 'date-time' }),
  });
  return { name, summary, tag: 'Outgoing webhooks', body, headers: HEADERS, retries: RETRIES };
}

export const PING = 'ping';

/** What is sent to a company's webhook endpoints, one for each event type of the shop, and the ping. */
export const endpointWebhooks: readonly Webhook[] = [
  ...Object.entries(SHOP_EVENTS).map(([name, { summary, data }]) => webhookOf(name, summary, data)),
  webhookOf(PING, 'Sent by `POST /webhook-endpoints/test/{id}`', Type.Object({})),
];
