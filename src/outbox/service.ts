import type { Tx } from '../db/pool.ts';
import { insertOutbox, lockOutbox, type OutboxEvent } from './queries.ts';

export type { ShopTopic } from './shop-events.ts';
export type { OutboxEvent };

/**
 * A customer is another one than before. Changes the contact and goes out by webhook; the marketing side keeps no event
 * of it, and starts nothing.
 */
export const CUSTOMER_UPDATED = 'customer_updated';

/**
 * Tells the marketing side of a deed, in the deed's own transaction: it will hear of it exactly once, in the order
 * written per company.
 */
export async function enqueue(tx: Tx, companyId: number, events: OutboxEvent[]): Promise<void> {
  if (events.length > 0) await insertOutbox(tx, companyId, events);
}

/** Waits until nobody carries events of the company over, and lets nobody begin before COMMIT. */
export async function holdOutbox(tx: Tx, companyId: number): Promise<void> {
  await lockOutbox(tx, companyId);
}
