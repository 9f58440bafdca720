import { createHmac } from 'node:crypto';
import { signBody } from '../../marketing/webhook/signature.ts';

const PREFIX = 'whsec_';

/**
 * The headers that sign a delivery: those of Standard Webhooks (HMAC over `id.timestamp.body`, keyed with the decoded base64
 * part of the secret), and X-Webhook-Signature in its timestamped form (keyed with the whole secret as text), which the
 * webhook of another installation accepts.
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
