import type { Tx } from '../../db/pool.ts';
import type { Correlation } from '../../lib/tracing/correlation.ts';
import { insertDeliveries, type NewDelivery } from './delivery-queries.ts';

/** A failed delivery is retried for a day. */
export const RETRIED_FOR_MS = 24 * 3_600_000;

/** An event of the shop as it is stored in the outbox. */
export interface ShopEvent {
  id: number;
  topic: string;
  payload: Record<string, unknown>;
  occurred_at: Date;
  correlation: Correlation | null;
}

/** The public id of an outbox event: the webhook's id, and the external id of the stored event. */
export function messageIdOf(companyId: number, outboxId: number): string {
  return `msg_${companyId}_${outboxId}`;
}

/** Queues a delivery to every endpoint that listens, in the transaction that takes the events out of the outbox. */
export async function queueDeliveries(tx: Tx, companyId: number, events: ShopEvent[], now: Date): Promise<number> {
  const deliveries = events.map((event): NewDelivery => {
    const messageId = messageIdOf(companyId, event.id);
    const body = JSON.stringify({
      event_type: event.topic,
      event_id: messageId,
      event_data: event.payload,
      occurred_at: event.occurred_at.toISOString(),
    });
    return { messageId, eventType: event.topic, entity: entityOf(event), body, correlation: event.correlation };
  });
  return insertDeliveries(tx, companyId, deliveries, deadlinesFrom(now));
}

/** The entity that the event is about: deliveries of one entity keep their order. */
function entityOf({ topic, payload, id }: ShopEvent): string {
  const [key, noun] = topic.startsWith('order_')
    ? ['order_id', 'order']
    : topic.startsWith('subscription_')
      ? ['subscription_id', 'subscription']
      : topic === 'stock_low'
        ? ['product_id', 'product']
        : ['customer_id', 'customer'];
  const value = payload[key];
  return value === undefined ? `event:${id}` : `${noun}:${String(value)}`;
}

/** When a delivery is due, and when its retries end. */
export function deadlinesFrom(now: Date): { now: Date; giveUpAt: Date } {
  return { now, giveUpAt: new Date(now.getTime() + RETRIED_FOR_MS) };
}
