import { describe, expect, it } from 'vitest';
import { signBody, verifySignature } from '../src/marketing/webhook/signature.ts';
import { signDelivery } from '../src/outbox/endpoints/sign.ts';
import { signWebhook, verifyWebhook, WebhookVerificationError } from './src/client.ts';

const SECRET = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('some other secret, unlike').toString('base64')}`;
const NOW = new Date('2036-03-15T12:00:00Z');
const timestamp = NOW.getTime() / 1000;
const body = JSON.stringify({ event_type: 'order_placed', event_id: 'msg_1_2', event_data: { order_id: '7' } });
const delivered = (secret = SECRET) => signDelivery(secret, { id: 'msg_1_2', timestamp, body });
const failure = expect.any(WebhookVerificationError);

describe('a delivery of the program', () => {
  it('is verified, with its id and its event', async () => {
    const { id, event } = await verifyWebhook(SECRET, { headers: delivered(), body }, { now: NOW });
    expect(id).toBe('msg_1_2');
    expect(event).toEqual(JSON.parse(body));
    const headers = new Headers(delivered());
    await verifyWebhook([OTHER, SECRET], { headers, body: new TextEncoder().encode(body) }, { now: NOW });
  });

  it('is verified by X-Webhook-Signature alone', async () => {
    const headers = { 'X-Webhook-Signature': delivered()['x-webhook-signature'] };
    const { id, event } = await verifyWebhook(SECRET, { headers, body }, { now: NOW });
    expect([id, event.event_type]).toEqual([null, 'order_placed']);
  });

  it.each([
    ['another secret', OTHER, delivered(), body, NOW],
    ['another body', SECRET, delivered(), `${body} `, NOW],
    ['another id', SECRET, { ...delivered(), 'webhook-id': 'msg_1_3' }, body, NOW],
    ['another time', SECRET, { ...delivered(), 'webhook-timestamp': String(timestamp + 1) }, body, NOW],
    ['a time that is none', SECRET, { ...delivered(), 'webhook-timestamp': 'now' }, body, NOW],
    ['an old time', SECRET, delivered(), body, new Date(NOW.getTime() + 301_000)],
    ['a time to come', SECRET, delivered(), body, new Date(NOW.getTime() - 301_000)],
    ['no signature', SECRET, {}, body, NOW],
    ['a signature that is no base64', SECRET, { ...delivered(), 'webhook-signature': 'v1,???' }, body, NOW],
    ['an empty signature', SECRET, { ...delivered(), 'webhook-signature': 'v1,' }, body, NOW],
    ['a signature without a timestamp', SECRET, { 'x-webhook-signature': signBody(SECRET, body) }, body, NOW],
    ['ninth among signatures', SECRET, ninth(), body, NOW],
  ])('with %s is refused', async (_what, secret, headers, text, now) => {
    await expect(verifyWebhook(secret, { headers, body: text }, { now })).rejects.toEqual(failure);
  });

  it('is not verified by a malformed secret', async () => {
    const signed = { headers: delivered(), body };
    await expect(verifyWebhook('whsec_***', signed, { now: NOW })).rejects.toThrow('base64');
    await expect(verifyWebhook([], signed, { now: NOW })).rejects.toEqual(failure);
  });
});

function ninth(): Record<string, string> {
  const wrong = delivered(OTHER)['webhook-signature'];
  return { ...delivered(), 'webhook-signature': [...Array(8).fill(wrong), delivered()['webhook-signature']].join(' ') };
}

it('signWebhook makes signatures that the program accepts', async () => {
  const headers = await signWebhook(SECRET, body, NOW);
  const none = { id: undefined, timestamp: undefined, signature: undefined };
  const request = { body: Buffer.from(body), signature: headers['X-Webhook-Signature'], standard: none };
  expect(verifySignature(request, [SECRET], { now: NOW, requireTimestamp: true })).toEqual({ id: null, stamped: true });
  expect(verifySignature(request, [OTHER], { now: NOW, requireTimestamp: true })).toBeNull();
});
