import type { Tx } from '../db/pool.ts';
import type { Correlation } from '../lib/tracing/correlation.ts';
import { insertOutbox, lockOutbox, moveContacts, type OutboxEvent } from './queries.ts';
import type { ShopTopic } from './shop-events.ts';

export { insertingOutbox } from './queries.ts';
export type { OutboxEvent, ShopTopic };

/**
 * A customer was changed. Updates the contact and is sent to webhooks; the marketing side stores no event for it and starts
 * no flow.
 */
export const CUSTOMER_UPDATED = 'customer_updated';

/** Another customer was merged into the customer; the contact follows. Like `customer_updated`, no event of the marketing side. */
export const CUSTOMER_MERGED = 'customer_merged';

/** Events that name a contact, `contact_id`, not a customer. */
export const ABOUT_CONTACTS = ['list_joined', 'date_reached', 'segment_joined'] as const satisfies readonly ShopTopic[];

/**
 * Writes events to the outbox, in the transaction that causes them. Each is transferred to the marketing side exactly once, in
 * the company's order.
 * @param correlation of all events, or one for each
 */
export async function enqueue(
  tx: Tx,
  companyId: number,
  events: OutboxEvent[],
  correlation: Correlation | null | readonly (Correlation | null)[],
): Promise<void> {
  if (events.length === 0) return;
  const each = Array.isArray(correlation) ? correlation : events.map(() => correlation);
  await insertOutbox(tx, companyId, events, each);
}

/** Waits for a running transfer of the company's events, and blocks further ones until COMMIT. */
export async function holdOutbox(tx: Tx, companyId: number): Promise<void> {
  await lockOutbox(tx, companyId);
}

/** Lets events about contacts that are being merged be about the contact `into`. Waits for a running transfer of such events. */
export async function moveOutbox(tx: Tx, companyId: number, from: number[], into: number): Promise<void> {
  await moveContacts(tx, companyId, ABOUT_CONTACTS, from, into);
}
