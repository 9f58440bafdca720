import type { Tx } from '../db/pool.ts';
import { insertOutbox, type OutboxEvent } from './queries.ts';

export type { OutboxEvent };

/**
 * Tells the marketing side of a deed, in the deed's own transaction: it will hear of it exactly once, in the order
 * written per company.
 */
export async function enqueue(tx: Tx, companyId: number, events: OutboxEvent[]): Promise<void> {
  if (events.length > 0) await insertOutbox(tx, companyId, events);
}
