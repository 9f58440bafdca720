import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { AppError, found, invalidField } from '../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../lib/paging.ts';
import { enqueue } from '../../outbox/service.ts';
import { quoteWithoutStock } from '../orders/quote.ts';
import type { Order } from '../orders/schemas.ts';
import { listOrdersOfSubscription } from '../orders/service.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type {
  Frequency,
  HistoryEntry,
  Subscription,
  SubscriptionInput,
  SubscriptionPatch,
  SubscriptionQuery,
  Upcoming,
} from './contract.ts';
import { dateAfterCycle } from './plan.ts';
import * as queries from './queries.ts';
import {
  orderRequest,
  scheduledEvent,
  scheduleOf,
  subscriptionEvent,
  subscriptionRecord,
  unchanged,
  upcomingRecord,
} from './record.ts';
import { atPace, dayBefore, following, LAST_DATE, nextAfter, startOfDayIn, todayIn } from './schedule.ts';
import { createSubscription, requireFrequency } from './sign-up.ts';

export { cancelOfErased } from './erasure.ts';
export { subscriptionsOfCustomer } from './export.ts';
export { createSubscription };
export const rescheduleSubscriptions = queries.rescheduleSubscriptions;

/** Throws not_found. */
export async function getSubscription(db: Db, shop: Shop, id: number): Promise<Subscription> {
  return subscriptionRecord(found(await queries.findSubscription(db, shop.companyId, id), 'subscription'), shop);
}

export async function listSubscriptions(db: Db, shop: Shop, query: SubscriptionQuery): Promise<Page<Subscription>> {
  const page = pageOf(query);
  const filters = { customerId: query.customer_id ?? null, status: query.status ?? null };
  const { rows, total } = await queries.listSubscriptions(db, shop.companyId, filters, page);
  return { rows: rows.map((row) => subscriptionRecord(row, shop)), total, ...page };
}

/** By position. */
export async function listFrequencies(db: Db, companyId: number, query: PageQuery): Promise<Page<Frequency>> {
  const page = pageOf(query);
  const all = await queries.listFrequencies(db, companyId);
  return { rows: all.slice(page.skip, page.skip + page.take), total: all.length, ...page };
}

/** What happened to the subscription, from its beginning on. Throws not_found. */
export async function listHistory(
  db: Db,
  companyId: number,
  id: number,
  query: PageQuery,
): Promise<Page<HistoryEntry>> {
  const page = pageOf(query);
  const [total, rows] = await Promise.all([
    queries.countHistory(db, companyId, id),
    queries.listHistory(db, companyId, id, page),
  ]);
  if (total === 0) found(await queries.findSubscription(db, companyId, id), 'subscription');
  return { rows: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })), total, ...page };
}

export async function listOrders(db: Db, shop: Shop, id: number, query: PageQuery): Promise<Page<Order>> {
  found(await queries.findSubscription(db, shop.companyId, id), 'subscription');
  return listOrdersOfSubscription(db, shop, id, query);
}

/** A new next date re-anchors the schedule; a new frequency keeps the next date and goes on from it. */
export async function updateSubscription(
  db: Db,
  shop: Shop,
  caller: Caller,
  id: number,
  patch: SubscriptionPatch,
): Promise<Subscription> {
  return change(db, shop, caller, id, async (tx, row) => {
    const { quantity, frequency_id: frequencyId, next_billing_date: date } = patch;
    const given = { quantity, frequency_id: frequencyId, next_billing_date: date };
    const frequency = frequencyId === undefined ? null : await requireFrequency(tx, shop.companyId, frequencyId);
    if (date !== undefined && date !== row.next_billing_date) await checkNextDate(tx, shop, caller, id, date);
    const changed = Object.entries(given).filter(
      ([field, value]) => value !== undefined && value !== row[field as keyof typeof given],
    );
    if (changed.length === 0) return null;
    const moved = date !== undefined && date !== row.next_billing_date;
    const nextDate = date ?? row.next_billing_date!;
    const paced = frequency !== null && frequency.id !== row.frequency_id;
    const anchor = paced ? atPace(scheduleOf(row), nextDate, frequency).anchor : row.anchor;
    return {
      change: {
        ...unchanged(row),
        quantity: quantity ?? row.quantity,
        frequencyId: frequencyId ?? row.frequency_id,
        anchor: moved ? date : anchor,
        nextDate,
        ...(moved && row.status !== 'paused'
          ? { status: 'active', attempts: 0, dueAt: startOfDayIn(shop.timeZone, date) }
          : {}),
      },
      type: 'updated',
      message: changed.map(([field, value]) => `${field}: ${value}`).join(', '),
    };
  });
}

async function checkNextDate(tx: Tx, shop: Shop, caller: Caller, id: number, date: string): Promise<void> {
  const fail = (what: string, code?: string) => invalidField('next_billing_date', `next_billing_date ${what}`, code);
  if (date < todayIn(shop.timeZone, caller.now)) throw fail('must not be in the past', 'out_of_range');
  if (date > LAST_DATE) throw fail(`must not be after ${LAST_DATE}`, 'out_of_range');
  if ((await datesOver(tx, shop, id, date)).has(date)) throw fail('is a date that is already over');
}

/** The subscription's dates from `from` on that are over. */
async function datesOver(db: Queryable, shop: Shop, id: number, from: string): Promise<ReadonlySet<string>> {
  return (await queries.findDatesOver(db, shop.companyId, new Map([[id, from]]))).get(id)!;
}

/** Ends the subscription at once. Cancelling again changes nothing. */
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
    const ended = { nextDate: null, dueAt: null, resumeOn: null, pauseReason: null, attempts: 0 };
    const cancelled = {
      ...unchanged(row),
      ...ended,
      status: 'cancelled',
      cancelledAt: now,
      cancelReason: reason,
    } as const;
    await queries.updateSubscriptions(tx, companyId, [cancelled], now);
    await queries.insertHistory(
      tx,
      companyId,
      [{ subscriptionId: id, type: 'cancelled', actor, message: reason }],
      now,
    );
    const [customer] = await queries.findContacts(tx, companyId, [row.customer_id]);
    await enqueue(tx, companyId, [subscriptionEvent('subscription_cancelled', row, customer!, now, { reason })]);
    return subscriptionRecord(found(await queries.findSubscription(tx, companyId, id), 'subscription'), shop);
  });
}

/** Stops renewals until `resumeOn`, or until somebody resumes. */
export async function pauseSubscription(
  db: Db,
  shop: Shop,
  caller: Caller,
  id: number,
  resumeOn: string | null,
): Promise<Subscription> {
  if (resumeOn !== null && (resumeOn <= todayIn(shop.timeZone, caller.now) || resumeOn > LAST_DATE)) {
    throw invalidField('resume_on', `resume_on must be in the future, up to ${LAST_DATE}`, 'out_of_range');
  }
  return change(db, shop, caller, id, async (_tx, row) => ({
    change: {
      ...unchanged(row),
      status: 'paused',
      attempts: 0,
      resumeOn,
      pauseReason: row.pause_reason,
      dueAt: resumeOn === null ? null : startOfDayIn(shop.timeZone, resumeOn),
    },
    type: 'paused',
    message: resumeOn === null ? null : `until ${resumeOn}`,
  }));
}

/** Dates that passed during the pause are passed over. */
export async function resumeSubscription(db: Db, shop: Shop, caller: Caller, id: number): Promise<Subscription> {
  return change(db, shop, caller, id, async (tx, row) => {
    if (row.status !== 'paused') return null;
    const over = await datesOver(tx, shop, id, todayIn(shop.timeZone, caller.now));
    return { change: resumed(row, shop, caller.now, over), type: 'resumed', message: null };
  });
}

/** The end of a pause; `over` are the dates from today on that are. */
export function resumed(
  row: queries.SubscriptionRow,
  shop: Shop,
  now: Date,
  over: ReadonlySet<string>,
): queries.Change {
  const nextDate = dateAfterPause(row, todayIn(shop.timeZone, now), over);
  const dueAt = startOfDayIn(shop.timeZone, nextDate);
  return { ...unchanged(row), status: 'active', nextDate, dueAt, attempts: 0, resumeOn: null, pauseReason: null };
}

/** The first date from the pause's end on. */
function dateAfterPause(row: queries.SubscriptionRow, end: string, over: ReadonlySet<string>): string {
  const planned = row.next_billing_date!;
  return planned >= end ? planned : nextAfter(scheduleOf(row), dayBefore(end), over);
}

/** The next date is left out, during a pause the first one after it; the one that follows, today or later, is next. */
export async function skipNext(db: Db, shop: Shop, caller: Caller, id: number): Promise<Subscription> {
  return change(db, shop, caller, id, async (tx, row) => {
    const today = todayIn(shop.timeZone, caller.now);
    const over = await datesOver(tx, shop, id, row.next_billing_date!);
    const date = row.status === 'paused' ? dateAfterPause(row, row.resume_on ?? today, over) : row.next_billing_date!;
    const nextDate = nextAfter(scheduleOf(row), date < today ? dayBefore(today) : date, over);
    if (nextDate > LAST_DATE) throw invalidField('next_billing_date', `There is no date up to ${LAST_DATE} to skip to`);
    const cycle = { subscriptionId: id, date, outcome: 'skipped', orderId: null, reason: 'requested' } as const;
    await queries.insertCycles(tx, shop.companyId, [cycle], caller.now);
    const running = row.status !== 'paused';
    const moved = { ...unchanged(row), nextDate, attempts: 0 };
    return {
      change: running ? { ...moved, status: 'active', dueAt: startOfDayIn(shop.timeZone, nextDate) } : moved,
      type: 'skipped',
      message: date,
    };
  });
}

interface Deed {
  change: queries.Change;
  type: string;
  message: string | null;
}

/** A deed on a subscription that is not cancelled, under its lock; null changes nothing. */
async function change(
  db: Db,
  shop: Shop,
  caller: Caller,
  id: number,
  decide: (tx: Tx, row: queries.SubscriptionRow) => Promise<Deed | null>,
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
    const deed = await decide(tx, row);
    if (deed === null) return subscriptionRecord(row, shop);
    await queries.updateSubscriptions(tx, companyId, [deed.change], now);
    const entry = { subscriptionId: id, type: deed.type, actor, message: deed.message };
    await queries.insertHistory(tx, companyId, [entry], now);
    const after = found(await queries.findSubscription(tx, companyId, id), 'subscription');
    await tellOfChange(tx, companyId, { before: row, after, message: deed.message }, now);
    return subscriptionRecord(after, shop);
  });
}

/** Marketing hears of another date, and of a pause. */
async function tellOfChange(
  tx: Tx,
  companyId: number,
  { before, after, message }: Record<'before' | 'after', queries.SubscriptionRow> & Pick<Deed, 'message'>,
  now: Date,
): Promise<void> {
  const paused = after.status === 'paused';
  const pauses = paused && before.status !== 'paused';
  const moved = after.next_billing_date !== before.next_billing_date || before.status === 'paused';
  if (!pauses && (paused || !moved)) return;
  const [customer] = await queries.findContacts(tx, companyId, [after.customer_id]);
  const event = pauses
    ? subscriptionEvent('subscription_paused', after, customer!, now, { reason: message })
    : scheduledEvent(after, after.next_billing_date, customer!, now);
  await enqueue(tx, companyId, [event]);
}

/** The next order as it would come now. Throws no_upcoming_order for one that is paused or ended, or would be paused. */
export async function getUpcoming(db: Db, shop: Shop, caller: Caller, id: number): Promise<Upcoming> {
  const row = found(await queries.findSubscription(db, shop.companyId, id), 'subscription');
  const date = row.next_billing_date;
  const none = new AppError('no_upcoming_order', 'This subscription has no upcoming order');
  if (date === null || (row.status !== 'active' && row.status !== 'past_due')) throw none;
  const { quote, inStock } = await quoteWithoutStock(db, shop, orderRequest(row, caller.actor, caller.now)).catch(
    (error: unknown) => {
      // The renewal would pause the subscription for the same reason.
      if (error instanceof AppError) throw none;
      throw error;
    },
  );
  const schedule = scheduleOf(row);
  const over = await datesOver(db, shop, id, date);
  const next = dateAfterCycle({ schedule, cycleDate: date, over }, todayIn(shop.timeZone, caller.now));
  return upcomingRecord(row, date, { quote, inStock }, [next, ...following(schedule, next, 2, over)], shop);
}

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createSubscriptionsService(deps: { db: Db; shops: ShopCache }) {
  const { db, shops } = deps;
  return {
    listFrequencies: (companyId: number, query: PageQuery) => listFrequencies(db.lists(companyId), companyId, query),
    listSubscriptions: async (companyId: number, query: SubscriptionQuery) =>
      listSubscriptions(db.lists(companyId), await shops.get(companyId), query),
    getSubscription: async (companyId: number, id: number) =>
      getSubscription(db.points(companyId), await shops.get(companyId), id),
    getUpcoming: async (caller: Caller, id: number) =>
      getUpcoming(db.points(caller.companyId), await shops.get(caller.companyId), caller, id),
    listOrders: async (companyId: number, id: number, query: PageQuery) =>
      listOrders(db.lists(companyId), await shops.get(companyId), id, query),
    listHistory: (companyId: number, id: number, query: PageQuery) =>
      listHistory(db.lists(companyId), companyId, id, query),
    createSubscription: async (caller: Caller, input: SubscriptionInput) =>
      createSubscription(db.points(caller.companyId), await shops.get(caller.companyId), caller, input),
    updateSubscription: async (caller: Caller, id: number, patch: SubscriptionPatch) =>
      updateSubscription(db.points(caller.companyId), await shops.get(caller.companyId), caller, id, patch),
    cancelSubscription: async (caller: Caller, id: number, reason: string | null) =>
      cancelSubscription(db.points(caller.companyId), await shops.get(caller.companyId), caller, id, reason),
    pauseSubscription: async (caller: Caller, id: number, resumeOn: string | null) =>
      pauseSubscription(db.points(caller.companyId), await shops.get(caller.companyId), caller, id, resumeOn),
    resumeSubscription: async (caller: Caller, id: number) =>
      resumeSubscription(db.points(caller.companyId), await shops.get(caller.companyId), caller, id),
    skipNext: async (caller: Caller, id: number) =>
      skipNext(db.points(caller.companyId), await shops.get(caller.companyId), caller, id),
  };
}

export type SubscriptionsService = ReturnType<typeof createSubscriptionsService>;
