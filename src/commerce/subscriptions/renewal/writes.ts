import type { OutboxEvent } from '../../../outbox/service.ts';
import type { Change, Cycle, HistoryEntry } from '../queries.ts';

/** The actor of renewals in histories. */
export const ACTOR = 'worker:renewals';

/** What a set of renewals writes about subscriptions. */
export interface Writes {
  changes: Change[];
  cycles: Cycle[];
  history: HistoryEntry[];
  events: OutboxEvent[];
}

/** Returns where a cart can be paid, at the given time. */
export type PayUrl = (companyId: number, cartId: number, now: Date) => string;
