import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Twilio's request signatures and error codes. Pure. */

/**
 * Whether the request was signed with the account's token: HMAC-SHA1 over the requested URL and the form fields, sorted by name
 * (https://www.twilio.com/docs/usage/security).
 */
export function isSignedByTwilio(token: string, url: string, form: URLSearchParams, signature: string): boolean {
  const fields = [...form.entries()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const signed = url + fields.map(([name, value]) => name + value).join('');
  const expected = createHmac('sha1', token).update(signed).digest('base64');
  // Hashed first, for a comparison in constant time that also hides the length.
  const [one, other] = [signature, expected].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(one!, other!);
}

/** The number does not exist, is not a mobile number, or is unknown to its carrier. Permanent. */
const DEAD_NUMBER = new Set([21211, 21217, 21614, 30005, 30006]);
/** The recipient opted out at the provider. */
const OPTED_OUT = 21610;

export type ErrorMeaning =
  /** The number cannot receive messages. */
  | 'dead_number'
  | 'opted_out'
  /** Concerns the sender, the content, the carrier or the moment, not the recipient. */
  | 'other';

export function meaningOf(code: number): ErrorMeaning {
  if (code === OPTED_OUT) return 'opted_out';
  return DEAD_NUMBER.has(code) ? 'dead_number' : 'other';
}
