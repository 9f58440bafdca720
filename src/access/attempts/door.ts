/**
 * What is counted by network: requests without a valid credential, by where it is presented, and all requests of the store interface, those
 * to sign in once more by themselves. `store_address` counts these by the e-mail address.
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
  | 'store_address';

const FAILURES = 30;

/** How many a network has in a minute. Each door is counted by itself. */
export const MOST: Readonly<Record<Door, number>> = {
  api_key: FAILURES,
  webhook: FAILURES,
  bounces: FAILURES,
  sms: FAILURES,
  sign_in: FAILURES,
  store_key: FAILURES,
  store_reads: 600,
  store_writes: 120,
  store_sign_ins: 10,
  store_address: FAILURES,
};
