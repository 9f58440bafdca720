import { createHmac, timingSafeEqual } from 'node:crypto';

/** The signed parts of a request; missing headers are undefined. */
export interface SignedRequest {
  /** The body's bytes as received. */
  body: Buffer;
  /** X-Webhook-Signature */
  signature: string | undefined;
  /** webhook-id, webhook-timestamp and webhook-signature, of the Standard Webhooks specification. */
  standard: { id: string | undefined; timestamp: string | undefined; signature: string | undefined };
}

/** What a valid signature proves. */
export interface Verified {
  /** The sender's id of the message, if it is signed. */
  id: string | null;
  /** Whether the signature includes a timestamp; one without can be replayed at any time. */
  stamped: boolean;
}

export interface VerifyOptions {
  now: Date;
  /** Rejects the formats that can be replayed at any time. */
  requireTimestamp: boolean;
}

const TOLERANCE_S = 300;
/** Maximum number of signatures in one header; there are two while secrets rotate. */
const MAX_SIGNATURES = 8;
/** Shorter than an event id, to leave room for the index of an event within its message. */
const MAX_ID_LENGTH = 250;
const STANDARD_LIST = /^v\d[a-z]?,\S+(?: v\d[a-z]?,\S+)*$/;
const PREFIX = 'whsec_';
const STAMPED = /^t=([1-9]\d{0,10})((?:,v1=[0-9a-f]{64})+)$/;

/**
 * Verifies that one of the secrets signed the request; null if none did. Signatures are compared as text, in their only
 * canonical spelling, in constant time, and every secret is tried.
 */
export function verifySignature(
  request: SignedRequest,
  secrets: readonly string[],
  { now, requireTimestamp }: VerifyOptions,
): Verified | null {
  const seconds = Math.floor(now.getTime() / 1000);
  const own = secrets.map((secret) => matchesOwn(request, secret, seconds, requireTimestamp));
  const standard = secrets.map((secret) => matchesStandard(request, secret, seconds));
  if (standard.includes(true)) return { id: request.standard.id!, stamped: true };
  return own.includes(true) ? { id: null, stamped: STAMPED.test(request.signature!) } : null;
}

/** X-Webhook-Signature, keyed with the whole secret as UTF-8. */
function matchesOwn(
  { body, signature }: SignedRequest,
  secret: string,
  seconds: number,
  requireTimestamp: boolean,
): boolean {
  if (signature === undefined) return false;
  const stamped = STAMPED.exec(signature);
  if (stamped !== null) {
    const expected = hmac(secret, [`${stamped[1]}.`, body]).toString('hex');
    const given = stamped[2]!.slice(1).split(',');
    return isRecent(Number(stamped[1]), seconds) && anyEqual(given, [`v1=${expected}`]);
  }
  const digest = hmac(secret, [body]);
  const hex = digest.toString('hex');
  const matches = anyEqual([signature], [hex, `sha256=${hex}`, digest.toString('base64')]);
  return matches && !requireTimestamp;
}

/** Standard Webhooks, keyed with the decoded base64 part of the secret. */
function matchesStandard({ body, standard }: SignedRequest, secret: string, seconds: number): boolean {
  const { id, timestamp, signature } = standard;
  if (id === undefined || timestamp === undefined || signature === undefined) return false;
  if (!/^[1-9]\d{0,10}$/.test(timestamp) || id === '' || id.length > MAX_ID_LENGTH) return false;
  if (!STANDARD_LIST.test(signature)) return false;
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  const expected = hmac(key, [`${id}.${timestamp}.`, body]).toString('base64');
  return isRecent(Number(timestamp), seconds) && anyEqual(signature.split(' '), [`v1,${expected}`]);
}

function hmac(key: string | Buffer, parts: (string | Buffer)[]): Buffer {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

function isRecent(timestamp: number, seconds: number): boolean {
  return Math.abs(seconds - timestamp) <= TOLERANCE_S;
}

function anyEqual(given: string[], expected: string[]): boolean {
  let found = false;
  for (const one of given.slice(0, MAX_SIGNATURES)) {
    for (const other of expected) {
      const [a, b] = [Buffer.from(one), Buffer.from(other)];
      found = (a.length === b.length && timingSafeEqual(a, b)) || found;
    }
  }
  return found;
}

/** The value of X-Webhook-Signature for a body: with a timestamp (Unix seconds), the format that expires; otherwise `sha256=…`. */
export function signBody(secret: string, body: string | Buffer, options: { timestamp?: number } = {}): string {
  const { timestamp } = options;
  const bytes = Buffer.from(body);
  return timestamp === undefined
    ? `sha256=${hmac(secret, [bytes]).toString('hex')}`
    : `t=${timestamp},v1=${hmac(secret, [`${timestamp}.`, bytes]).toString('hex')}`;
}
