import type { App } from '../app.ts';
import type { Caller } from '../caller.ts';
import type { Shop } from '../commerce/shop.ts';
import type { Tx } from '../db/pool.ts';

/** What making the demo shop's past needs. */
export interface Making {
  /** The transaction in which the shop is made, */
  tx: Tx;
  /** and the app on it: its services' own transactions join that one. */
  app: App;
  shop: Shop;
  /** The moment from which the past counts back. */
  now: Date;
  /** The caller of a deed of so many hours ago. */
  at(hoursAgo: number): Caller;
}

export const HOUR_MS = 3_600_000;
/** The shop is this much older than its first order. */
export const OPENED_HOURS_AGO = 121 * 24;
