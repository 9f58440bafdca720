import { fromMinor } from '../../money.ts';
import type { Shop } from '../../shop.ts';
import { scheduledEvent, subscriptionEvent } from '../events.ts';
import type { SubscriptionRow } from '../queries.ts';
import { scheduleOf, unchanged } from '../record.ts';
import type { Charge } from './charges.ts';
import { PAYMENT_FAILED, planPayment } from './plan.ts';
import { ACTOR, type PayUrl, type Writes } from './writes.ts';

/** A due subscription whose charge has failed. */
interface FailedCharge {
  row: SubscriptionRow;
  charge: Extract<Charge, { kind: 'failed' }>;
  over: ReadonlySet<string>;
  person: { email: string | null; first_name: string; last_name: string };
  /** In the shop's time zone. */
  today: string;
  now: Date;
}

/** Adds what follows from a failed charge: another attempt, or the end of them. Returns whether its cart can no longer be paid. */
export function failedPayment(writes: Writes, shop: Shop, failed: FailedCharge, payUrl: PayUrl): boolean {
  const { row, charge, over, person, today, now } = failed;
  const { cart, payment } = charge;
  const date = row.next_billing_date!;
  const due = { schedule: scheduleOf(row), cycleDate: date, over, attempts: row.payment_attempts };
  const plan = planPayment(due, shop.checkout, today, shop.timeZone);
  const code = payment.failure?.code ?? 'other';
  const same = { ...unchanged(row), chargeId: null };
  const tell = (type: string, message: string): void => {
    writes.history.push({ subscriptionId: row.id, type, actor: ACTOR, message });
  };
  tell(PAYMENT_FAILED, `attempt ${row.payment_attempts + 1} for ${date}: ${code}`);
  const isOver = plan.kind === 'skip' || plan.kind === 'cancel';
  writes.events.push(
    subscriptionEvent('subscription_payment_failed', row, person, now, {
      cycle_date: date,
      reason: code,
      attempt: row.payment_attempts + 1,
      retry_on: plan.kind === 'retry' ? plan.on : null,
      payment_id: String(payment.id),
      amount: fromMinor(payment.amount, shop.exponent),
      currency: shop.currency,
      pay_url: isOver ? null : payUrl(shop.companyId, cart.id, now),
    }),
  );
  const reason = { cycle_date: date, reason: PAYMENT_FAILED };
  switch (plan.kind) {
    case 'retry':
      writes.changes.push({ ...same, status: 'past_due', paymentAttempts: plan.attempts, dueAt: plan.dueAt });
      return false;
    case 'pause':
      writes.changes.push({ ...same, status: 'paused', pauseReason: PAYMENT_FAILED, dueAt: null, paymentAttempts: 0 });
      tell('paused', PAYMENT_FAILED);
      writes.events.push(subscriptionEvent('subscription_paused', row, person, now, reason));
      return false;
    case 'skip': {
      const { nextDate, dueAt } = plan;
      writes.cycles.push({ subscriptionId: row.id, date, outcome: 'skipped', orderId: null, reason: PAYMENT_FAILED });
      writes.changes.push({ ...same, status: 'active', nextDate, dueAt, paymentAttempts: 0 });
      tell('skipped', `${date}: ${PAYMENT_FAILED}`);
      writes.events.push(
        subscriptionEvent('subscription_skipped', row, person, now, reason),
        scheduledEvent(row, nextDate, person, now),
      );
      return true;
    }
    case 'cancel': {
      const ended = { nextDate: null, dueAt: null, paymentAttempts: 0, cancelledAt: now, cancelReason: PAYMENT_FAILED };
      writes.changes.push({ ...same, ...ended, status: 'cancelled' });
      tell('cancelled', PAYMENT_FAILED);
      writes.events.push(subscriptionEvent('subscription_cancelled', row, person, now, { reason: PAYMENT_FAILED }));
      return true;
    }
  }
}
