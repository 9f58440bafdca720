import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** How mail providers prove that a notification is theirs. Pure; Amazon's way has a file of its own (sns.ts). */

/** What a genuine notification is known by, should it come again. */
export interface Genuine {
  key: Buffer;
}

/**
 * Providers try for so long to get rid of a notification (SendGrid a day, Mailgun eight hours, Amazon an hour), and do not
 * say whether they sign each attempt anew. What is younger is remembered, so that nothing is taken twice.
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
  // Of the body alone: an attempt that was signed anew is the same notification, its events have ids.
  return isTimely(ofSeconds(timestamp), now) ? { key: keyOf('sendgrid', body) } : null;
}

/** Mailgun signs a timestamp and a token inside the body, and nothing of what it says: a token is good for one body. */
export function verifyMailgun(signingKey: string, body: Buffer, now: Date): Genuine | null {
  const { timestamp: given, token, signature } = signatureIn(body);
  const timestamp = typeof given === 'number' ? String(given) : given;
  if (typeof timestamp !== 'string' || typeof token !== 'string' || typeof signature !== 'string') return null;
  const signed = timestamp + token;
  const expected = createHmac('sha256', signingKey).update(signed).digest('hex');
  if (!equalTexts(signature, expected)) return null;
  return isTimely(ofSeconds(timestamp), now) ? { key: keyOf('mailgun', signed) } : null;
}

/** Postmark signs nothing; it sends the user name and password that its webhook's address has. */
export function verifyPostmark(
  credentials: string,
  { headers, body }: { headers: IncomingHttpHeaders; body: Buffer },
): Genuine | null {
  const given = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const matches = equalTexts(Buffer.from(given, 'base64').toString('utf8'), credentials);
  return matches ? { key: keyOf('postmark', body) } : null;
}

/** SendGrid shows its key as the base64 of a DER; PEM does as well. null for anything but a key of the curve P-256. */
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

/** 1970 for what is no number of seconds. */
function ofSeconds(text: string): Date {
  return new Date(/^[1-9]\d{0,10}$/.test(text) ? Number(text) * 1_000 : 0);
}

/** Hashed first, so that neither content nor length shows in the time it takes. */
function equalTexts(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(one, other);
}
