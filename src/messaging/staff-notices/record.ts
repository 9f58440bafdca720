import type { Tx } from '../../db/pool.ts';
import type { NoticeKind } from './kinds.ts';
import * as queries from './queries.ts';

/** An event of the shop, as the outbox has it. */
export interface NotedEvent {
  topic: string;
  payload: Record<string, unknown>;
}

/** Returns what the people of the company are told of an event; null: nothing. Copies no data of customers. */
export function noticeOf({ topic, payload }: NotedEvent): queries.NewNotice | null {
  const { order_id, subscription_id, product_id, currency, total, amount, name, stock_qty } = payload;
  const of = (kind: NoticeKind, id: unknown, details: object): queries.NewNotice | null => {
    const record = Number(id);
    return Number.isSafeInteger(record) ? { kind, record, details } : null;
  };
  switch (topic) {
    case 'order_placed':
      // An imported order is old.
      return payload.origin === null ? null : of('new_order', order_id, { amount: total, currency });
    case 'stock_low':
      return of('low_stock', product_id, { name, stock: stock_qty });
    case 'payment_disputed':
      return of('dispute', order_id, { amount, currency });
    case 'subscription_payment_failed':
      return of('renewal_failed', subscription_id, { amount, currency });
    default:
      return null;
  }
}

/** Called in the transaction that takes the events out of the outbox, so that each is noted exactly once. */
export async function noteEvents(tx: Tx, companyId: number, events: readonly NotedEvent[], now: Date): Promise<void> {
  const notices = events.map(noticeOf).filter((notice) => notice !== null);
  if (notices.length > 0) await queries.insertNotices(tx, companyId, notices, now);
}
