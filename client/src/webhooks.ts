import type { webhooks } from './generated/marketing.ts';

/** The events that a webhook endpoint receives, by `event_type`. */
export type WebhookEvent = webhooks[keyof webhooks];

export type HeaderSource = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** How far the timestamp may be off, in seconds; 300 where absent. */
  toleranceSeconds?: number;
  /** The present time, for tests. */
  now?: Date;
}

/** The request is not signed by one of the secrets, or is too old. Respond with 400 and do nothing. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

/** Signatures of a header that are checked at most; there are two while a secret is replaced. */
const MAX_SIGNATURES = 8;
const encoder = new TextEncoder();

/**
 * Verifies a delivery and returns its event. `body` is the received body, before it is parsed; `secrets` is the endpoint's secret, or both
 * while it is replaced. Accepts the headers of Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature), else
 * X-Webhook-Signature with a timestamp. WebCrypto compares in constant time. Throws WebhookVerificationError.
 */
export async function verifyWebhook(
  secrets: string | readonly string[],
  request: { headers: HeaderSource; body: string | Uint8Array },
  options: VerifyOptions = {},
): Promise<{ id: string | null; event: WebhookEvent }> {
  const { toleranceSeconds = 300, now = new Date() } = options;
  const { headers } = request;
  const body = typeof request.body === 'string' ? encoder.encode(request.body) : request.body;
  const signed = signedParts(headers, body);
  const age = Math.abs(now.getTime() / 1000 - signed.timestamp);
  if (!(age <= toleranceSeconds)) throw new WebhookVerificationError('The timestamp is too old or too new');
  let isGenuine = false;
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const key = await keyOf(signed.keyBytes(secret));
    for (const signature of signed.signatures.slice(0, MAX_SIGNATURES)) {
      const matches = await crypto.subtle.verify('HMAC', key, signature, signed.text);
      isGenuine = matches || isGenuine;
    }
  }
  if (!isGenuine) throw new WebhookVerificationError('The signature does not match');
  return { id: signed.id, event: JSON.parse(new TextDecoder().decode(body)) as WebhookEvent };
}

/** Returns the headers with which `POST /webhook` and `POST /bounces` of the marketing API accept this body. */
export async function signWebhook(
  secret: string,
  body: string,
  now: Date = new Date(),
): Promise<{ 'X-Webhook-Signature': string }> {
  const timestamp = Math.floor(now.getTime() / 1000);
  const key = await keyOf(encoder.encode(secret));
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, joined(`${timestamp}.`, encoder.encode(body))));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { 'X-Webhook-Signature': `t=${timestamp},v1=${hex}` };
}

interface SignedParts {
  id: string | null;
  timestamp: number;
  text: Uint8Array<ArrayBuffer>;
  signatures: Uint8Array<ArrayBuffer>[];
  keyBytes(secret: string): Uint8Array<ArrayBuffer>;
}

function signedParts(headers: HeaderSource, body: Uint8Array): SignedParts {
  const [id, timestamp, standard] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (id && timestamp && standard) {
    if (!/^[1-9]\d{0,10}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a time');
    const given = standard.split(' ').filter((one) => one.startsWith('v1,'));
    return {
      id,
      timestamp: Number(timestamp),
      text: joined(`${id}.${timestamp}.`, body),
      signatures: given.map((one) => fromBase64(one.slice(3))).filter((one) => one !== null),
      keyBytes: secretBytes,
    };
  }
  const own = /^t=([1-9]\d{0,10})((?:,v1=[0-9a-f]{64})+)$/.exec(headerOf(headers, 'x-webhook-signature') ?? '');
  if (own === null) throw new WebhookVerificationError('The request has no signature with a timestamp');
  return {
    id: null,
    timestamp: Number(own[1]),
    text: joined(`${own[1]}.`, body),
    signatures: own[2]!
      .slice(1)
      .split(',')
      .map((one) => fromHex(one.slice(3))),
    keyBytes: (secret) => encoder.encode(secret),
  };
}

function headerOf(headers: HeaderSource, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}

function keyOf(bytes: Uint8Array<ArrayBuffer>): ReturnType<typeof crypto.subtle.importKey> {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

function joined(prefix: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(prefix);
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Decodes base64; null for any other text. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) return null;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (bytes === null) throw new TypeError('The secret of a webhook endpoint is whsec_ and base64');
  return bytes;
}
