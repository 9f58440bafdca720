import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Twilio's form: how a request is proven, and what its error codes say of whom. Pure. */

/**
 * Whether the request was signed with the account's token: HMAC-SHA1 over the address that was called and the fields of the
 * form, sorted by name (https://www.twilio.com/docs/usage/security).
 */
export function isSignedByTwilio(token: string, url: string, form: URLSearchParams, signature: string): boolean {
  const fields = [...form.entries()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const signed = url + fields.map(([name, value]) => name + value).join('');
  const expected = createHmac('sha1', token).update(signed).digest('base64');
  // Hashed first, so that neither content nor length shows in the time it takes.
  const [one, other] = [signature, expected].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(one!, other!);
}

/** The number does not exist, is no mobile one, or its device is unknown to its carrier: it stays so. */
const DEAD_NUMBER = new Set([21211, 21217, 21614, 30005, 30006]);
/** The recipient said STOP to the provider itself. */
const OPTED_OUT = 21610;

export type ErrorMeaning =
  /** Nothing will arrive at this number. */
  | 'dead_number'
  | 'opted_out'
  /** Of the sender, the pair of numbers, the content, the carrier or the moment: says nothing of the recipient for good. */
  | 'other';

export function meaningOf(code: number): ErrorMeaning {
  if (code === OPTED_OUT) return 'opted_out';
  return DEAD_NUMBER.has(code) ? 'dead_number' : 'other';
}
