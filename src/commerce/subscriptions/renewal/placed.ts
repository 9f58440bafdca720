import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { dateIn } from '../../../lib/time-zones/time-zones.ts';
import { enqueue, type OutboxEvent } from '../../../outbox/service.ts';
import type { Shop } from '../../shop.ts';
import { scheduledEvent, subscriptionEvent } from '../events.ts';
import * as queries from '../queries.ts';
import { scheduleOf, unchanged } from '../record.ts';
import { startOfDayIn } from '../schedule.ts';
import { dateAfterCycle, PAYMENT_FAILED } from './plan.ts';

/** A subscription whose renewal is placed, locked until COMMIT. */
export interface RenewedSubscription {
  row: queries.SubscriptionRow;
  /** Dates from its cycle on that were ordered or skipped. */
  over: ReadonlySet<string>;
  /** Whether the date was ordered, or another cart of it is open, being paid or placed. */
  isTaken: boolean;
}

/** An order that was placed from the cart of a renewal. */
export interface PlacedRenewal {
  subscription: RenewedSubscription;
  cycleDate: string;
  orderId: number;
  actor: string;
  customer: { email: string | null; first_name: string; last_name: string };
}

/** Locks subscriptions, by ascending id; the carts of their renewals were locked before. `cycles`: the dates that are placed, by subscription. */
export async function lockRenewed(
  db: Queryable,
  companyId: number,
  cycles: ReadonlyMap<number, string>,
): Promise<Map<number, RenewedSubscription>> {
  const ids = [...cycles.keys()];
  // Separate statements: what was locked is read after waiting for it.
  const [, rows, over, taken] = await Promise.all([
    db.query(sql`
      select from subscriptions where company_id = ${companyId} and id = any(${ids}::bigint[]) order by id for update`),
    queries.findSubscriptions(db, companyId, ids),
    queries.findDatesOver(db, companyId, cycles),
    findTaken(db, companyId, cycles),
  ]);
  return new Map(rows.map((row) => [row.id, { row, over: over.get(row.id)!, isTaken: taken.has(row.id) }]));
}

/** Returns the subscriptions whose dates were ordered, or have carts that are neither cancelled nor expired. */
async function findTaken(
  db: Queryable,
  companyId: number,
  cycles: ReadonlyMap<number, string>,
): Promise<ReadonlySet<number>> {
  const rows = await db.query<{ id: number }>(sql`
    select asked.id from unnest(${[...cycles.keys()]}::bigint[], ${[...cycles.values()]}::date[]) as asked (id, cycle_date)
    where exists (
      select from subscription_cycles c where c.company_id = ${companyId} and c.subscription_id = asked.id
        and c.cycle_date = asked.cycle_date and c.outcome = 'ordered')
    or exists (
      select from carts c where c.company_id = ${companyId} and c.subscription_id = asked.id
        and c.cycle_date = asked.cycle_date and c.status not in ('cancelled', 'expired'))`);
  return new Set(rows.map((row) => row.id));
}

/** Writes cycles, next dates, histories and events of renewals, in the transaction that places their orders. */
export function recordRenewals(tx: Tx, shop: Shop, placed: readonly PlacedRenewal[], now: Date): Promise<unknown>[] {
  if (placed.length === 0) return [];
  const { companyId, timeZone } = shop;
  const today = dateIn(timeZone, now);
  const changes: queries.Change[] = [];
  const events: OutboxEvent[] = [];
  for (const { subscription, cycleDate, customer } of placed) {
    const { row, over } = subscription;
    const change = unchanged(row);
    events.push(subscriptionEvent('subscription_renewed', row, customer, now, { cycle_date: cycleDate, reason: null }));
    // Otherwise it was cancelled or moved on while the money was on its way: attempts and charge are those of another date.
    if (row.next_billing_date === cycleDate) {
      change.attempts = 0;
      change.paymentAttempts = 0;
      change.chargeId = null;
      change.nextDate = dateAfterCycle({ schedule: scheduleOf(row), cycleDate, over }, today);
      if (row.status !== 'paused' || row.pause_reason === PAYMENT_FAILED) {
        change.status = 'active';
        change.pauseReason = null;
        change.dueAt = startOfDayIn(timeZone, change.nextDate);
        events.push(scheduledEvent(row, change.nextDate, customer, now));
      }
    }
    changes.push(change);
  }
  const cycles = placed.map(({ subscription, cycleDate: date, orderId }) => {
    return { subscriptionId: subscription.row.id, date, outcome: 'ordered' as const, orderId, reason: null };
  });
  const history = placed.map(({ subscription, cycleDate, orderId, actor }) => {
    const message = `order ${orderId} for ${cycleDate}`;
    return { subscriptionId: subscription.row.id, type: 'renewed', actor, message };
  });
  return [
    queries.updateSubscriptions(tx, companyId, changes, now),
    queries.insertCycles(tx, companyId, cycles, now, { replaces: true }),
    queries.insertHistory(tx, companyId, history, now),
    enqueue(tx, companyId, events, null),
  ];
}
