import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../../db/pool.ts';
import { AppError, found } from '../../../errors.ts';
import { correlationOf } from '../../../lib/tracing/correlation.ts';
import { enqueue } from '../../../outbox/service.ts';
import type { Shop } from '../../shop.ts';
import { findDatesOver } from '../cycle-queries.ts';
import { scheduledEvent, subscriptionEvent } from '../events.ts';
import { insertHistory } from '../history-queries.ts';
import * as queries from '../queries.ts';
import { subscriptionRecord } from '../record.ts';
import type { Subscription } from '../schemas.ts';

/** Returns the subscription's dates from `from` on that were ordered or skipped. */
export async function datesOver(db: Queryable, shop: Shop, id: number, from: string): Promise<ReadonlySet<string>> {
  return (await findDatesOver(db, shop.companyId, new Map([[id, from]]))).get(id)!;
}

/** What to write: the row's new values, and the type and message of the history entry. */
interface ChangeWithHistory {
  change: queries.Change;
  type: string;
  message: string | null;
}

/**
 * Locks the subscription and writes what `plan` returns, with history and event; null changes nothing. Throws not_found;
 * subscription_not_modifiable for a subscription that has ended.
 */
export async function changeSubscription(
  db: Db,
  shop: Shop,
  caller: Caller,
  id: number,
  plan: (tx: Tx, row: queries.SubscriptionRow) => Promise<ChangeWithHistory | null>,
): Promise<Subscription> {
  const { companyId } = shop;
  const { actor, now } = caller;
  return write(db, caller, async (tx) => {
    const row = found(await queries.lockSubscription(tx, companyId, id), 'subscription');
    if (row.status === 'cancelled' || row.status === 'expired') {
      throw new AppError('subscription_not_modifiable', `A ${row.status} subscription cannot be changed`, {
        status: row.status,
      });
    }
    const planned = await plan(tx, row);
    if (planned === null) return subscriptionRecord(row, shop);
    await queries.updateSubscriptions(tx, companyId, [planned.change], now);
    const entry = { subscriptionId: id, type: planned.type, actor, message: planned.message };
    await insertHistory(tx, companyId, [entry], now);
    const after = found(await queries.findSubscription(tx, companyId, id), 'subscription');
    await enqueueEvent(tx, companyId, { before: row, after, message: planned.message }, caller);
    return subscriptionRecord(after, shop);
  });
}

/** Notifies the marketing side of a new date or a pause. */
async function enqueueEvent(
  tx: Tx,
  companyId: number,
  { before, after, message }: Record<'before' | 'after', queries.SubscriptionRow> & Pick<ChangeWithHistory, 'message'>,
  caller: Caller,
): Promise<void> {
  const { now } = caller;
  const paused = after.status === 'paused';
  const pauses = paused && before.status !== 'paused';
  const moved = after.next_billing_date !== before.next_billing_date || before.status === 'paused';
  if (!pauses && (paused || !moved)) return;
  const [customer] = await queries.findEventCustomers(tx, companyId, [after.customer_id]);
  const event = pauses
    ? subscriptionEvent('subscription_paused', after, customer!, now, { reason: message })
    : scheduledEvent(after, after.next_billing_date, customer!, now);
  await enqueue(tx, companyId, [event], correlationOf(caller));
}
