import type { Caller } from '../../caller.ts';
import type { Tx } from '../../db/pool.ts';
import { enqueue } from '../../outbox/service.ts';
import * as queries from './queries.ts';
import { subscriptionEvent, unchanged } from './record.ts';

/** Ends all subscriptions of a customer who is being erased. Endpoints hear of it, without who it was. */
export async function cancelOfErased(
  tx: Tx,
  companyId: number,
  customerId: number,
  { actor, now }: Pick<Caller, 'actor' | 'now'>,
): Promise<void> {
  const rows = await queries.lockRunning(tx, companyId, customerId);
  if (rows.length === 0) return;
  const reason = 'customer_erased';
  const ended = { nextDate: null, dueAt: null, resumeOn: null, pauseReason: null, attempts: 0 };
  const end = { ...ended, status: 'cancelled', cancelledAt: now, cancelReason: reason } as const;
  await queries.updateSubscriptions(
    tx,
    companyId,
    rows.map((row) => ({ ...unchanged(row), ...end })),
    now,
  );
  const entries = rows.map((row) => ({ subscriptionId: row.id, type: 'cancelled', actor, message: null }));
  await queries.insertHistory(tx, companyId, entries, now);
  const nobody = { email: null, first_name: '', last_name: '' };
  const events = rows.map((row) => subscriptionEvent('subscription_cancelled', row, nobody, now, { reason }));
  await enqueue(tx, companyId, events);
}
