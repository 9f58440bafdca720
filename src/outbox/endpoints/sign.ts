import { createHmac } from 'node:crypto';
import { signBody } from '../../marketing/webhook/signature.ts';

const PREFIX = 'whsec_';

/**
 * The headers that sign a delivery: Standard Webhooks' (HMAC under the bytes that the secret's base64 part stands for,
 * over `id.timestamp.body`), and X-Webhook-Signature in the timestamped form (under the whole secret as text), which the
 * webhook of another installation takes.
 */
export function signDelivery(
  secret: string,
  delivery: { id: string; timestamp: number; body: string },
): Record<string, string> {
  const { id, timestamp, body } = delivery;
  const bytes = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const standard = createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${standard}`,
    'x-webhook-signature': signBody(secret, body, { timestamp }),
  };
}
