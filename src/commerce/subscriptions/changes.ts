import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { AppError, found, invalidField } from '../../errors.ts';
import { dateIn } from '../../lib/time-zones/time-zones.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { enqueue } from '../../outbox/service.ts';
import { cancelRenewalCarts, lockRenewalCarts } from '../carts/renewals.ts';
import { quoteWithoutStock } from '../orders/quote.ts';
import { isOpen } from '../payments/payment.ts';
import { findPayment, findPaymentsOfCarts } from '../payments/queries.ts';
import type { Shop } from '../shop.ts';
import type { Subscription, SubscriptionPatch } from './contract.ts';
import { scheduledEvent, subscriptionEvent } from './events.ts';
import * as queries from './queries.ts';
import { orderRequest, scheduleOf, subscriptionRecord, unchanged } from './record.ts';
import { dayBefore, LAST_DATE, nextAfter, startOfDayIn, withFrequency } from './schedule.ts';
import { changedAddress, requireFrequency, requireProduct, requireSavedMethod } from './sign-up.ts';

/** Returns the subscription's dates from `from` on that were ordered or skipped. */
export async function datesOver(db: Queryable, shop: Shop, id: number, from: string): Promise<ReadonlySet<string>> {
  return (await queries.findDatesOver(db, shop.companyId, new Map([[id, from]]))).get(id)!;
}

/** What to write: the row's new values, and the type and message of the history entry. */
interface ChangeWithHistory {
  change: queries.Change;
  /** Another product or address; left out: as before. */
  terms?: queries.Terms;
  type: string;
  message: string | null;
}

/**
 * Whether a change is refused while the next order is being paid, or accepted: then a payment that succeeds still places the order. Otherwise
 * both cancel the cart of the next order; `ignore` leaves it.
 */
type IfPaying = 'refuse' | 'accept' | 'ignore';

/**
 * Locks a subscription after the carts of its next order. `paying`: the payment that is in progress; null without one. Throws not_found.
 */
async function lockWithCarts(tx: Tx, companyId: number, id: number) {
  const [carts, locked] = await Promise.all([
    lockRenewalCarts(tx, companyId, [id], 'wait'),
    queries.lockSubscription(tx, companyId, id),
  ]);
  const row = found(locked, 'subscription');
  const reserved = carts.find(({ status }) => status === 'paying');
  if (reserved === undefined && row.charge_id === null) return { row, carts, paying: null };
  const [charge, others] = await Promise.all([
    row.charge_id === null ? undefined : findPayment(tx, companyId, row.charge_id),
    findPaymentsOfCarts(tx, companyId, reserved === undefined ? [] : [reserved.id]),
  ]);
  const payment = charge !== undefined && isOpen(charge) ? charge : others.values().next().value;
  return { row, carts, paying: payment?.id ?? null };
}

async function cancelCarts(tx: Tx, companyId: number, carts: readonly { id: number }[], now: Date): Promise<void> {
  if (carts.length === 0) return;
  const ids = carts.map(({ id }) => id);
  await cancelRenewalCarts(tx, companyId, ids, now);
}

/**
 * Locks the subscription and writes what `plan` returns, with history and event; null changes nothing. Throws not_found;
 * subscription_not_modifiable for a subscription that has ended; payment_in_progress by `ifPaying`.
 */
async function changeSubscription(
  db: Db,
  shop: Shop,
  caller: Caller,
  id: number,
  ifPaying: IfPaying,
  plan: (tx: Tx, row: queries.SubscriptionRow) => Promise<ChangeWithHistory | null>,
): Promise<Subscription> {
  const { companyId } = shop;
  const { actor, now } = caller;
  return write(db, caller, async (tx) => {
    const { row, carts, paying } = await lockWithCarts(tx, companyId, id);
    if (row.status === 'cancelled' || row.status === 'expired') {
      throw new AppError('subscription_not_modifiable', `A ${row.status} subscription cannot be changed`, {
        status: row.status,
      });
    }
    if (paying !== null && ifPaying === 'refuse') {
      throw new AppError('payment_in_progress', 'The next order is being paid', { payment_id: paying });
    }
    const planned = await plan(tx, row);
    if (planned === null) return subscriptionRecord(row, shop);
    const { change } = planned;
    if (paying === null && ifPaying !== 'ignore') {
      change.chargeId = null;
      await cancelCarts(tx, companyId, carts, now);
    }
    await queries.updateSubscriptions(tx, companyId, [change], now);
    if (planned.terms !== undefined) await queries.updateTerms(tx, companyId, id, planned.terms);
    const entry = { subscriptionId: id, type: planned.type, actor, message: planned.message };
    await queries.insertHistory(tx, companyId, [entry], now);
    const after = found(await queries.findSubscription(tx, companyId, id), 'subscription');
    // As at sign-up: an address without shipping is refused now.
    if (planned.terms !== undefined) await quoteWithoutStock(tx, shop, orderRequest(after, actor, now));
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

/** A new next date becomes the schedule's anchor; a new frequency keeps the next date and continues from it. */
export async function updateSubscription(
  db: Db,
  shop: Shop,
  caller: Caller,
  id: number,
  patch: SubscriptionPatch,
): Promise<Subscription> {
  return changeSubscription(db, shop, caller, id, 'refuse', async (tx, row) => {
    const { quantity, frequency_id: frequencyId, next_billing_date: date, saved_method_id: savedId } = patch;
    const given = { quantity, frequency_id: frequencyId, next_billing_date: date, saved_method_id: savedId };
    const frequency = frequencyId === undefined ? null : await requireFrequency(tx, shop.companyId, frequencyId);
    if (savedId != null) await requireSavedMethod(tx, shop.companyId, row.customer_id, savedId);
    if (date !== undefined && date !== row.next_billing_date) await checkNextDate(tx, shop, caller, id, date);
    const changed = Object.entries(given)
      .filter(([field, value]) => value !== undefined && value !== row[field as keyof typeof given])
      .map(([field, value]) => `${field}: ${value}`);
    const terms = await changedTerms(tx, shop, row, patch);
    // Without the address: the history outlives it.
    if (terms.isMoved) changed.push('shipping address');
    if (terms.productId !== row.product_id) changed.push(`product_id: ${terms.productId}`);
    if (changed.length === 0) return null;
    const moved = date !== undefined && date !== row.next_billing_date;
    const nextDate = date ?? row.next_billing_date!;
    const newFrequency = frequency !== null && frequency.id !== row.frequency_id;
    const anchor = newFrequency ? withFrequency(scheduleOf(row), nextDate, frequency).anchor : row.anchor;
    return {
      change: {
        ...unchanged(row),
        quantity: quantity ?? row.quantity,
        frequencyId: frequencyId ?? row.frequency_id,
        savedMethodId: savedId === undefined ? row.saved_method_id : savedId,
        anchor: moved ? date : anchor,
        nextDate,
        ...(moved && row.status !== 'paused'
          ? { status: 'active', attempts: 0, paymentAttempts: 0, dueAt: startOfDayIn(shop.timeZone, date) }
          : {}),
      },
      ...(terms.isMoved || terms.productId !== row.product_id ? { terms } : {}),
      type: 'updated',
      message: changed.join(', '),
    };
  });
}

/** Another product has its present price, as at sign-up. `isMoved`: the address is another. */
async function changedTerms(tx: Tx, shop: Shop, row: queries.SubscriptionRow, patch: SubscriptionPatch) {
  const { product_id: productId = row.product_id } = patch;
  const product =
    productId === row.product_id ? { id: productId, price: row.price } : await requireProduct(tx, shop, productId);
  const address = changedAddress(row, patch);
  const isMoved = Object.entries(address).some(
    ([field, value]) => value !== row[`shipping_${field}` as keyof queries.SubscriptionRow],
  );
  return { productId: product.id, price: product.price, address, isMoved };
}

async function checkNextDate(tx: Tx, shop: Shop, caller: Caller, id: number, date: string): Promise<void> {
  const fail = (what: string, code?: string) => invalidField('next_billing_date', `next_billing_date ${what}`, code);
  if (date < dateIn(shop.timeZone, caller.now)) throw fail('must not be in the past', 'out_of_range');
  if (date > LAST_DATE) throw fail(`must not be after ${LAST_DATE}`, 'out_of_range');
  if ((await datesOver(tx, shop, id, date)).has(date)) throw fail('is a date that is already over');
}

/** Stops renewals until `resumeOn`; null: until the subscription is resumed. */
export async function pauseSubscription(
  db: Db,
  shop: Shop,
  caller: Caller,
  id: number,
  resumeOn: string | null,
): Promise<Subscription> {
  if (resumeOn !== null && (resumeOn <= dateIn(shop.timeZone, caller.now) || resumeOn > LAST_DATE)) {
    throw invalidField('resume_on', `resume_on must be in the future, up to ${LAST_DATE}`, 'out_of_range');
  }
  return changeSubscription(db, shop, caller, id, 'accept', async (_tx, row) => ({
    change: {
      ...unchanged(row),
      status: 'paused',
      attempts: 0,
      paymentAttempts: 0,
      resumeOn,
      pauseReason: row.pause_reason,
      dueAt: resumeOn === null ? null : startOfDayIn(shop.timeZone, resumeOn),
    },
    type: 'paused',
    message: resumeOn === null ? null : `until ${resumeOn}`,
  }));
}

/** Dates that passed during the pause are skipped. */
export async function resumeSubscription(db: Db, shop: Shop, caller: Caller, id: number): Promise<Subscription> {
  return changeSubscription(db, shop, caller, id, 'ignore', async (tx, row) => {
    if (row.status !== 'paused') return null;
    const over = await datesOver(tx, shop, id, dateIn(shop.timeZone, caller.now));
    return { change: resumed(row, shop, caller.now, over), type: 'resumed', message: null };
  });
}

/** Returns the change that ends a pause; `over` are the dates from today on that were ordered or skipped. */
export function resumed(
  row: queries.SubscriptionRow,
  shop: Shop,
  now: Date,
  over: ReadonlySet<string>,
): queries.Change {
  const nextDate = dateAfterPause(row, dateIn(shop.timeZone, now), over);
  const dueAt = startOfDayIn(shop.timeZone, nextDate);
  const afresh = { attempts: 0, paymentAttempts: 0, resumeOn: null, pauseReason: null };
  return { ...unchanged(row), ...afresh, status: 'active', nextDate, dueAt };
}

/** Returns the first date on or after the end of the pause. */
function dateAfterPause(row: queries.SubscriptionRow, end: string, over: ReadonlySet<string>): string {
  const planned = row.next_billing_date!;
  return planned >= end ? planned : nextAfter(scheduleOf(row), dayBefore(end), over);
}

/** Skips the next date; during a pause, the first date after it. The following date, today or later, becomes the next. */
export async function skipNext(db: Db, shop: Shop, caller: Caller, id: number): Promise<Subscription> {
  return changeSubscription(db, shop, caller, id, 'refuse', async (tx, row) => {
    const today = dateIn(shop.timeZone, caller.now);
    const over = await datesOver(tx, shop, id, row.next_billing_date!);
    const date = row.status === 'paused' ? dateAfterPause(row, row.resume_on ?? today, over) : row.next_billing_date!;
    const nextDate = nextAfter(scheduleOf(row), date < today ? dayBefore(today) : date, over);
    if (nextDate > LAST_DATE) throw invalidField('next_billing_date', `There is no date up to ${LAST_DATE} to skip to`);
    const cycle = { subscriptionId: id, date, outcome: 'skipped', orderId: null, reason: 'requested' } as const;
    await queries.insertCycles(tx, shop.companyId, [cycle], caller.now);
    const running = row.status !== 'paused';
    const moved = { ...unchanged(row), nextDate, attempts: 0, paymentAttempts: 0 };
    return {
      change: running ? { ...moved, status: 'active', dueAt: startOfDayIn(shop.timeZone, nextDate) } : moved,
      type: 'skipped',
      message: date,
    };
  });
}

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
    const { row, carts, paying } = await lockWithCarts(tx, companyId, id);
    if (row.status === 'cancelled') return subscriptionRecord(row, shop);
    if (paying === null) await cancelCarts(tx, companyId, carts, now);
    const cancelled = {
      ...unchanged(row),
      ...cancellation(now, reason),
      chargeId: paying === null ? null : row.charge_id,
    };
    await queries.updateSubscriptions(tx, companyId, [cancelled], now);
    await queries.insertHistory(
      tx,
      companyId,
      [{ subscriptionId: id, type: 'cancelled', actor, message: reason }],
      now,
    );
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
  await queries.insertHistory(tx, companyId, entries, now);
  const nobody = { email: null, first_name: '', last_name: '' };
  const events = rows.map((row) => subscriptionEvent('subscription_cancelled', row, nobody, now, { reason }));
  await enqueue(tx, companyId, events, null);
}

function cancellation(cancelledAt: Date, cancelReason: string | null) {
  const ended = { nextDate: null, dueAt: null, resumeOn: null, pauseReason: null, attempts: 0, paymentAttempts: 0 };
  return { ...ended, status: 'cancelled', cancelledAt, cancelReason } as const;
}
