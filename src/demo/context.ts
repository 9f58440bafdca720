import type { Caller } from '../caller.ts';
import type { CommerceServices } from '../commerce/services.ts';
import type { Shop } from '../commerce/shop.ts';
import type { Db, Tx } from '../db/pool.ts';
import type { DemoDeps } from './services.ts';

/** What the functions that create the demo shop's past have in common. */
export interface DemoContext {
  /** The transaction in which the whole shop is created. */
  tx: Tx;
  /** The same transaction for services that begin their own: those become part of it. */
  db: Db;
  services: CommerceServices;
  deps: DemoDeps;
  shop: Shop;
  /** The moment from which the past counts back. */
  now: Date;
  /** The caller of a request made `hoursAgo` hours ago. */
  at(hoursAgo: number): Caller;
}

export const HOUR_MS = 3_600_000;
/** When the shop was created: before its first order. */
export const OPENED_HOURS_AGO = 121 * 24;
