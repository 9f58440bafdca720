import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** How mail providers prove that they sent a notification. Pure; Amazon's method is in sns.ts. */

/** The key that identifies a genuine notification if it is repeated. */
export interface Genuine {
  key: Buffer;
}

/**
 * Providers retry a notification for up to this long (SendGrid a day, Mailgun eight hours, Amazon an hour) and do not say whether they sign
 * each attempt anew. Keys of accepted notifications are kept longer, so that none is applied twice.
 */
const OLDEST_MS = 25 * 3_600_000;
const AHEAD_MS = 5 * 60_000;
/** Longer than a notification is accepted. */
export const REMEMBERED_MS = OLDEST_MS + AHEAD_MS + 3_600_000;

export function isTimely(at: Date, now: Date): boolean {
  const age = now.getTime() - at.getTime();
  return age <= OLDEST_MS && age >= -AHEAD_MS;
}

export function keyOf(provider: string, signed: string | Buffer): Buffer {
  return createHash('sha256').update(`${provider}\0`).update(signed).digest();
}

/** SendGrid signs the timestamp and the body's bytes with ECDSA. */
export function verifySendGrid(
  publicKey: KeyObject,
  { headers, body }: { headers: IncomingHttpHeaders; body: Buffer },
  now: Date,
): Genuine | null {
  const signature = headers['x-twilio-email-event-webhook-signature'];
  const timestamp = headers['x-twilio-email-event-webhook-timestamp'];
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return null;
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  if (!verify('sha256', signed, publicKey, Buffer.from(signature, 'base64'))) return null;
  // From the body only: a retry with a new signature is the same notification, since its events have ids.
  return isTimely(ofSeconds(timestamp), now) ? { key: keyOf('sendgrid', body) } : null;
}

/** Mailgun signs only a timestamp and a token in the body, not its content, so a token is accepted for one body only. */
export function verifyMailgun(signingKey: string, body: Buffer, now: Date): Genuine | null {
  const { timestamp: given, token, signature } = signatureIn(body);
  const timestamp = typeof given === 'number' ? String(given) : given;
  if (typeof timestamp !== 'string' || typeof token !== 'string' || typeof signature !== 'string') return null;
  const signed = timestamp + token;
  const expected = createHmac('sha256', signingKey).update(signed).digest('hex');
  if (!equalTexts(signature, expected)) return null;
  return isTimely(ofSeconds(timestamp), now) ? { key: keyOf('mailgun', signed) } : null;
}

/** Postmark signs nothing; it sends the user name and password from its webhook URL. */
export function verifyPostmark(
  credentials: string,
  { headers, body }: { headers: IncomingHttpHeaders; body: Buffer },
): Genuine | null {
  const given = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const matches = equalTexts(Buffer.from(given, 'base64').toString('utf8'), credentials);
  return matches ? { key: keyOf('postmark', body) } : null;
}

/** Parses a key as shown by SendGrid (base64 of the DER) or in PEM; null for anything but a P-256 key. */
export function readSendGridKey(text: string): KeyObject | null {
  try {
    const key = text.includes('-----BEGIN')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}

function signatureIn(body: Buffer): Record<string, unknown> {
  try {
    const { signature } = JSON.parse(body.toString('utf8')) as { signature?: unknown };
    return typeof signature === 'object' && signature !== null ? (signature as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Returns 1970 if the text is not a number of seconds. */
function ofSeconds(text: string): Date {
  return new Date(/^[1-9]\d{0,10}$/.test(text) ? Number(text) * 1_000 : 0);
}

/** Hashes both first, so that timing reveals neither content nor length. */
function equalTexts(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(one, other);
}
