/** What is counted by network: requests without a valid credential, by where it is presented, and all requests of the store interface. */
export type Door = 'api_key' | 'webhook' | 'bounces' | 'sms' | 'sign_in' | 'store_key' | 'store_reads' | 'store_writes';

const FAILURES = 30;

/** How many a network has in a minute. Multiples of 6, because leases are sixths. Each door is counted by itself. */
export const MOST: Readonly<Record<Door, number>> = {
  api_key: FAILURES,
  webhook: FAILURES,
  bounces: FAILURES,
  sms: FAILURES,
  sign_in: FAILURES,
  store_key: FAILURES,
  store_reads: 600,
  store_writes: 120,
};
