import type { OutboxEvent, ShopTopic } from '../../outbox/service.ts';
import type { SubscriptionRow } from './queries.ts';

/** Returns the event of a new next date. */
export function scheduledEvent(
  row: Pick<SubscriptionRow, 'id' | 'customer_id' | 'product_id' | 'frequency_name' | 'quantity'>,
  nextDate: string | null,
  customer: { email: string | null; first_name: string; last_name: string },
  occurredAt: Date,
): OutboxEvent {
  return subscriptionEvent('subscription_scheduled', row, customer, occurredAt, { next_billing_date: nextDate });
}

/** Returns an event of the marketing API about a subscription; ids are strings. */
export function subscriptionEvent(
  topic: Extract<ShopTopic, `subscription_${string}`>,
  row: Pick<SubscriptionRow, 'id' | 'customer_id' | 'product_id' | 'frequency_name' | 'quantity'>,
  customer: { email: string | null; first_name: string; last_name: string },
  occurredAt: Date,
  more: Record<string, unknown> = {},
): OutboxEvent {
  const payload = {
    subscription_id: String(row.id),
    plan: row.frequency_name,
    customer_id: String(row.customer_id),
    email: customer.email,
    first_name: customer.first_name,
    last_name: customer.last_name,
    product_id: String(row.product_id),
    quantity: row.quantity,
    ...more,
  };
  return { topic, payload, occurredAt };
}
