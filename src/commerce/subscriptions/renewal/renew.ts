import type { Tx } from '../../../db/pool.ts';
import { AppError, type ErrorCode, type FieldError } from '../../../errors.ts';
import { counter } from '../../../lib/measures.ts';
import { dateIn } from '../../../lib/time-zones/time-zones.ts';
import { ownCorrelation } from '../../../lib/tracing/correlation.ts';
import { enqueue } from '../../../outbox/service.ts';
import { cancelRenewalCarts } from '../../carts/renewals.ts';
import { placeOrders } from '../../orders/service.ts';
import type { ShopCache } from '../../shop.ts';
import { resumed } from '../changes.ts';
import { scheduledEvent, subscriptionEvent } from '../events.ts';
import * as queries from '../queries.ts';
import { orderRequest, scheduleOf, unchanged } from '../record.ts';
import { CHARGE_MS, type Charge, chargeRequest, prepareCharges } from './charges.ts';
import { failedPayment } from './failed-payment.ts';
import { planRenewal, type RenewalPlan } from './plan.ts';
import { ACTOR, type PayUrl, type Writes } from './writes.ts';

/** The event of a renewal, by its outcome. */
const TOPICS = {
  ordered: 'subscription_renewed',
  retry: 'subscription_past_due',
  skipped: 'subscription_skipped',
  paused: 'subscription_paused',
} as const;

const renewals = counter('tradeloom_renewals_total', 'Due subscriptions by what became of their renewal', {
  outcome: [...Object.keys(TOPICS), 'charged', 'declined'],
});

export async function renew(
  tx: Tx,
  shops: ShopCache,
  companyId: number,
  due: queries.SubscriptionRow[],
  now: Date,
  payUrl: PayUrl,
): Promise<void> {
  const renewing = due.filter((row) => row.status !== 'paused');
  const correlation = ownCorrelation();
  const charges = await prepareCharges(
    tx,
    companyId,
    renewing.filter((row) => row.saved_method_id !== null),
    now,
  );
  const placing = renewing.filter(({ id }) => (charges.get(id)?.kind ?? 'charge') === 'charge');
  const requests = placing.map((row) => {
    const charge = charges.get(row.id);
    const request =
      charge?.kind === 'charge' ? chargeRequest(row, charge, companyId, now) : orderRequest(row, ACTOR, now);
    return { ...request, correlation };
  });
  const dates = new Map(due.map((row) => [row.id, row.next_billing_date!]));
  const [{ outcomes, shop, pending }, contacts, over] = await Promise.all([
    placeOrders(tx, shops, companyId, requests),
    queries.findEventCustomers(tx, companyId, [...new Set(due.map((row) => row.customer_id))]),
    queries.findDatesOver(tx, companyId, dates),
  ]);
  const today = dateIn(shop.timeZone, now);
  const people = new Map(contacts.map((contact) => [contact.id, contact]));
  const writes: Writes = { changes: [], cycles: [], history: [], events: [] };
  const dropped: number[] = [];
  for (const row of due) {
    if (row.status !== 'paused') continue;
    const change = resumed(row, shop, now, over.get(row.id)!);
    writes.changes.push(change);
    writes.history.push({ subscriptionId: row.id, type: 'resumed', actor: ACTOR, message: 'the pause is over' });
    writes.events.push(scheduledEvent(row, change.nextDate, people.get(row.customer_id)!, now));
  }
  const kinds: string[] = [];
  for (const row of renewing) {
    const charge = charges.get(row.id);
    if (charge?.kind === 'wait') writes.changes.push({ ...unchanged(row), dueAt: charge.dueAt });
    if (charge?.kind !== 'failed') continue;
    const failed = { row, charge, over: over.get(row.id)!, person: people.get(row.customer_id)!, today, now };
    if (failedPayment(writes, shop, failed, payUrl)) dropped.push(charge.cart.id);
    kinds.push('declined');
  }
  placing.forEach((row, i) => {
    const outcome = outcomes[i]!;
    const charge = charges.get(row.id);
    if (charge !== undefined && outcome.ok) {
      // An order that costs nothing is written by placing it.
      kinds.push(outcome.value.order === null ? 'charged' : 'ordered');
      if (outcome.value.order === null) recordCharge(writes, row, outcome.value.payment!.id, now);
      return;
    }
    const failure = outcome.ok ? null : failureOf(outcome.error);
    const cycleDate = row.next_billing_date!;
    const attempt = { schedule: scheduleOf(row), cycleDate, over: over.get(row.id)!, attempts: row.attempts };
    const plan = planRenewal(attempt, failure, today, shop.timeZone);
    record(writes, row, plan, outcome.ok ? outcome.value.order!.id : null);
    if (charge !== undefined && plan.kind !== 'retry') dropped.push((charge as ChargeOf<'charge'>).cart.id);
    const person = people.get(row.customer_id)!;
    const topic = TOPICS[plan.kind];
    kinds.push(plan.kind);
    const more = { cycle_date: cycleDate, reason: failure?.reason ?? null };
    writes.events.push(subscriptionEvent(topic, row, person, now, more));
    if ('nextDate' in plan) writes.events.push(scheduledEvent(row, plan.nextDate, person, now));
  });
  pending.push(
    queries.updateSubscriptions(tx, companyId, writes.changes, now),
    queries.insertHistory(tx, companyId, writes.history, now),
    enqueue(tx, companyId, writes.events, correlation),
  );
  if (dropped.length > 0) pending.push(cancelRenewalCarts(tx, companyId, dropped, now));
  if (writes.cycles.length > 0) pending.push(queries.insertCycles(tx, companyId, writes.cycles, now));
  await tx.commitAfter(pending);
  for (const outcome of kinds) renewals.inc({ outcome });
}

type ChargeOf<K extends Charge['kind']> = Extract<Charge, { kind: K }>;

/** The saved method is charged: settling the payment places the order, or has the worker look at the subscription again. */
function recordCharge(writes: Writes, row: queries.SubscriptionRow, paymentId: number, now: Date): void {
  const dueAt = new Date(now.getTime() + CHARGE_MS);
  writes.changes.push({ ...unchanged(row), attempts: 0, chargeId: paymentId, dueAt });
  const message = `payment ${paymentId} for ${row.next_billing_date}`;
  writes.history.push({ subscriptionId: row.id, type: 'charged', actor: ACTOR, message });
}

function record(writes: Writes, row: queries.SubscriptionRow, plan: RenewalPlan, orderId: number | null): void {
  const date = row.next_billing_date!;
  const history = (type: string, message: string | null): void => {
    writes.history.push({ subscriptionId: row.id, type, actor: ACTOR, message });
  };
  const same = unchanged(row);
  switch (plan.kind) {
    case 'ordered':
    case 'skipped': {
      const reason = plan.kind === 'skipped' ? plan.reason : null;
      const outcome = plan.kind === 'skipped' ? 'skipped' : 'ordered';
      writes.cycles.push({ subscriptionId: row.id, date, outcome, orderId, reason });
      const moved = { nextDate: plan.nextDate, dueAt: plan.dueAt, attempts: 0, paymentAttempts: 0 };
      writes.changes.push({ ...same, ...moved, status: 'active' });
      if (plan.kind === 'skipped') history('skipped', `${date}: ${plan.reason}`);
      else history('renewed', `order ${orderId} for ${date}`);
      break;
    }
    case 'retry':
      writes.changes.push({ ...same, status: 'past_due', attempts: plan.attempts, dueAt: plan.dueAt });
      history('past_due', `attempt ${plan.attempts} for ${date}: not enough stock`);
      break;
    case 'paused':
      writes.changes.push({ ...same, status: 'paused', pauseReason: plan.reason, dueAt: null, attempts: 0 });
      history('paused', plan.reason);
      break;
  }
}

/** Returns a machine-readable reason why no order could be placed. Rethrows errors that are not about the order. */
function failureOf(error: unknown): { code: ErrorCode; reason: string } {
  if (!(error instanceof AppError)) throw error;
  const fields = (error.details.fields as FieldError[] | undefined) ?? [];
  const first = fields[0];
  if (first === undefined) return { code: error.code, reason: error.code };
  const reasons: Record<string, string> = {
    'customer_id unknown': 'customer_erased',
    'items.0.product_id archived': 'product_archived',
  };
  return { code: error.code, reason: reasons[`${first.field} ${first.code}`] ?? `${first.field}_${first.code}` };
}
