/**
 * What is counted by network: requests without a valid credential, by where it is presented, and all requests of the store interface. Those to
 * sign in, to pay and to note what was viewed are counted once more by themselves. `store_address` counts sign-ins by the e-mail address.
 * Requests of the store interface with a token of a cart, an order or a customer are counted by it as well. Webhooks of payment services that
 * are not genuine are counted by their account alone.
 */
export type Door =
  | 'api_key'
  | 'webhook'
  | 'bounces'
  | 'sms'
  | 'sign_in'
  | 'store_key'
  | 'store_reads'
  | 'store_writes'
  | 'store_sign_ins'
  | 'store_address'
  | 'store_events'
  | 'store_pays';

interface Limit {
  most: number;
  windowMs: number;
}

export const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const FAILURES: Limit = { most: 30, windowMs: MINUTE_MS };

/** How many a network has within a window. Each door is counted by itself. */
export const LIMITS: Readonly<Record<Door, Limit>> = {
  api_key: FAILURES,
  webhook: FAILURES,
  bounces: FAILURES,
  sms: FAILURES,
  sign_in: FAILURES,
  store_key: FAILURES,
  store_reads: { most: 600, windowMs: MINUTE_MS },
  store_writes: { most: 120, windowMs: MINUTE_MS },
  store_sign_ins: { most: 10, windowMs: MINUTE_MS },
  store_address: FAILURES,
  store_events: { most: 60, windowMs: MINUTE_MS },
  store_pays: { most: 10, windowMs: HOUR_MS },
};
