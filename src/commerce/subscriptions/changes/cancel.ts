import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { found } from '../../../errors.ts';
import { correlationOf } from '../../../lib/tracing/correlation.ts';
import { enqueue } from '../../../outbox/service.ts';
import type { Shop } from '../../shop.ts';
import { subscriptionEvent } from '../events.ts';
import { insertHistory } from '../history-queries.ts';
import * as queries from '../queries.ts';
import { subscriptionRecord, unchanged } from '../record.ts';
import type { Subscription } from '../schemas.ts';

/** Ends the subscription at once. Cancelling it again changes nothing. Throws not_found. */
export async function cancelSubscription(
  db: Db,
  shop: Shop,
  caller: Caller,
  id: number,
  reason: string | null,
): Promise<Subscription> {
  const { companyId } = shop;
  const { actor, now } = caller;
  return write(db, caller, async (tx) => {
    const row = found(await queries.lockSubscription(tx, companyId, id), 'subscription');
    if (row.status === 'cancelled') return subscriptionRecord(row, shop);
    const cancelled = { ...unchanged(row), ...cancellation(now, reason) };
    await queries.updateSubscriptions(tx, companyId, [cancelled], now);
    await insertHistory(tx, companyId, [{ subscriptionId: id, type: 'cancelled', actor, message: reason }], now);
    const [customer] = await queries.findEventCustomers(tx, companyId, [row.customer_id]);
    const event = subscriptionEvent('subscription_cancelled', row, customer!, now, { reason });
    await enqueue(tx, companyId, [event], correlationOf(caller));
    return subscriptionRecord(found(await queries.findSubscription(tx, companyId, id), 'subscription'), shop);
  });
}

/** Cancels all subscriptions of a customer who is being erased. The events do not name the customer. */
export async function cancelOfErased(
  tx: Tx,
  companyId: number,
  customerId: number,
  { actor, now }: Pick<Caller, 'actor' | 'now'>,
): Promise<void> {
  const rows = await queries.lockRunning(tx, companyId, customerId);
  if (rows.length === 0) return;
  const reason = 'customer_erased';
  const end = cancellation(now, reason);
  await queries.updateSubscriptions(
    tx,
    companyId,
    rows.map((row) => ({ ...unchanged(row), ...end })),
    now,
  );
  const entries = rows.map((row) => ({ subscriptionId: row.id, type: 'cancelled', actor, message: null }));
  await insertHistory(tx, companyId, entries, now);
  const nobody = { email: null, first_name: '', last_name: '' };
  const events = rows.map((row) => subscriptionEvent('subscription_cancelled', row, nobody, now, { reason }));
  await enqueue(tx, companyId, events, null);
}

function cancellation(cancelledAt: Date, cancelReason: string | null) {
  const ended = { nextDate: null, dueAt: null, resumeOn: null, pauseReason: null, attempts: 0 };
  return { ...ended, status: 'cancelled', cancelledAt, cancelReason } as const;
}
