import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import { ACTOR_NAME } from '../actor-name.ts';
import type { SubscriptionStatus } from './contract.ts';
import { PAYMENT_FAILED } from './renewal/plan.ts';
import type { ScheduleUnit } from './schedule.ts';

export interface SubscriptionRow {
  id: number;
  customer_id: number;
  product_id: number;
  frequency_id: number;
  frequency_name: string;
  unit: ScheduleUnit;
  interval: number;
  quantity: number;
  price: number;
  status: SubscriptionStatus;
  anchor: string;
  next_billing_date: string | null;
  due_at: Date | null;
  attempts: number;
  saved_method_id: number | null;
  payment_attempts: number;
  charge_id: number | null;
  resume_on: string | null;
  pause_reason: string | null;
  shipping_address: string;
  shipping_city: string;
  shipping_state: string;
  shipping_zip: string;
  shipping_country: string;
  cancelled_at: Date | null;
  cancel_reason: string | null;
  created_at: Date;
  updated_at: Date;
}

/** Dates are read as text: a calendar date has no time zone, but the driver would add one. */
export const COLUMNS =
  rawSql(`s.id, s.customer_id, s.product_id, s.frequency_id, f.name as frequency_name, f.unit, f.interval,
  s.quantity, s.price, s.status, s.anchor::text, s.next_billing_date::text, s.due_at, s.attempts, s.saved_method_id,
  s.payment_attempts, s.charge_id, s.resume_on::text,
  s.pause_reason, s.shipping_address, s.shipping_city, s.shipping_state, s.shipping_zip, s.shipping_country,
  s.cancelled_at, s.cancel_reason, s.created_at, s.updated_at`);
export const FREQUENCY = rawSql(
  'join subscription_frequencies f on f.company_id = s.company_id and f.id = s.frequency_id',
);

export async function findSubscription(
  db: Queryable,
  companyId: number,
  id: number,
): Promise<SubscriptionRow | undefined> {
  const rows = await db.query<SubscriptionRow>(sql`
    select ${COLUMNS} from subscriptions s ${FREQUENCY} where s.company_id = ${companyId} and s.id = ${id}`);
  return rows[0];
}

export async function findSubscriptions(
  db: Queryable,
  companyId: number,
  ids: readonly number[],
): Promise<SubscriptionRow[]> {
  return db.query<SubscriptionRow>(sql`
    select ${COLUMNS} from subscriptions s ${FREQUENCY}
    where s.company_id = ${companyId} and s.id = any(${[...ids]}::bigint[])`);
}

/**
 * The same, locked. Uses two statements: a single one that waited for the lock would join the new row to the frequency read before waiting,
 * and find no row if the frequency was changed in the meantime.
 */
export async function lockSubscription(tx: Tx, companyId: number, id: number): Promise<SubscriptionRow | undefined> {
  const locked = tx.query(sql`select 1 from subscriptions where company_id = ${companyId} and id = ${id} for update`);
  const [, row] = await Promise.all([locked, findSubscription(tx, companyId, id)]);
  return row;
}

/** Locks the customer's subscriptions that are neither cancelled nor expired. */
export async function lockRunning(tx: Tx, companyId: number, customerId: number): Promise<SubscriptionRow[]> {
  return tx.query<SubscriptionRow>(sql`
    select ${COLUMNS} from subscriptions s ${FREQUENCY}
    where s.company_id = ${companyId} and s.customer_id = ${customerId} and s.status not in ('cancelled', 'expired')
    order by s.id for update of s`);
}

interface Address {
  address: string;
  city: string;
  state: string;
  zip: string;
  country: string;
}

interface NewSubscription {
  customerId: number;
  productId: number;
  frequencyId: number;
  quantity: number;
  price: number;
  startDate: string;
  dueAt: Date;
  savedMethodId: number | null;
  address: Address;
  now: Date;
}

export async function insertSubscription(tx: Tx, companyId: number, s: NewSubscription): Promise<number> {
  const rows = await tx.query<{ id: number }>(sql`
    insert into subscriptions (company_id, customer_id, product_id, frequency_id, quantity, price, status, anchor,
      next_billing_date, due_at, saved_method_id, shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country,
      created_at, updated_at)
    values (${companyId}, ${s.customerId}, ${s.productId}, ${s.frequencyId}, ${s.quantity}, ${s.price}, 'active',
      ${s.startDate}, ${s.startDate}, ${s.dueAt}, ${s.savedMethodId}, ${s.address.address}, ${s.address.city}, ${s.address.state},
      ${s.address.zip}, ${s.address.country}, ${s.now}, ${s.now})
    returning id`);
  return rows[0]!.id;
}

/** The columns of a subscription that change. */
export interface Change {
  id: number;
  status: SubscriptionStatus;
  quantity: number;
  frequencyId: number;
  anchor: string;
  nextDate: string | null;
  dueAt: Date | null;
  attempts: number;
  savedMethodId: number | null;
  paymentAttempts: number;
  /** The payment that charges the saved method for the current date. */
  chargeId: number | null;
  resumeOn: string | null;
  pauseReason: string | null;
  cancelledAt: Date | null;
  cancelReason: string | null;
}

/** Writes a set of changes. The caller has locked the rows. */
export async function updateSubscriptions(tx: Tx, companyId: number, changes: Change[], now: Date): Promise<void> {
  await tx.query(sql`
    update subscriptions s set status = c.status, quantity = c.quantity, frequency_id = c."frequencyId",
      anchor = c.anchor, next_billing_date = c."nextDate", due_at = c."dueAt", attempts = c.attempts,
      saved_method_id = c."savedMethodId", payment_attempts = c."paymentAttempts", charge_id = c."chargeId",
      resume_on = c."resumeOn", pause_reason = c."pauseReason", cancelled_at = c."cancelledAt",
      cancel_reason = c."cancelReason", updated_at = ${now}
    from json_to_recordset(${JSON.stringify(changes)}::json) as c (id bigint, status text, quantity int,
      "frequencyId" bigint, anchor date, "nextDate" date, "dueAt" timestamptz, attempts int,
      "savedMethodId" bigint, "paymentAttempts" int, "chargeId" bigint, "resumeOn" date,
      "pauseReason" text, "cancelledAt" timestamptz, "cancelReason" text)
    where s.company_id = ${companyId} and s.id = c.id`);
}

/** What is sent where, for how much. */
export interface Terms {
  productId: number;
  price: number;
  address: Address;
}

/** The caller has locked the row. */
export async function updateTerms(tx: Tx, companyId: number, id: number, { productId, price, address }: Terms) {
  await tx.query(sql`
    update subscriptions set product_id = ${productId}, price = ${price}, shipping_address = ${address.address},
      shipping_city = ${address.city}, shipping_state = ${address.state}, shipping_zip = ${address.zip},
      shipping_country = ${address.country}
    where company_id = ${companyId} and id = ${id}`);
}

/**
 * Recalculates when dates begin, for a new time zone. Retries keep their time. If midnight occurs twice (Havana), the first one counts, as
 * in schedule.ts: an hour after 23:00.
 */
export async function rescheduleSubscriptions(tx: Tx, companyId: number, timeZone: string): Promise<void> {
  const midnight = sql`(case status when 'paused' then resume_on else next_billing_date end)::timestamp`;
  await tx.query(sql`
    update subscriptions
    set due_at = least(${midnight} at time zone ${timeZone},
      (${midnight} - interval '1 hour') at time zone ${timeZone} + interval '1 hour')
    where company_id = ${companyId} and due_at is not null and status in ('active', 'paused')`);
}

/** Returns customers' names and e-mail addresses, for events. */
export async function findEventCustomers(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<{ id: number; email: string | null; first_name: string; last_name: string }[]> {
  return db.query(sql`
    select id, email, first_name, last_name from customers
    where company_id = ${companyId} and id = any(${customerIds}::bigint[])`);
}

export interface HistoryEntry {
  subscriptionId: number;
  type: string;
  actor: string;
  message: string | null;
}

interface HistoryRow {
  id: number;
  type: string;
  actor: string;
  actor_name: string | null;
  message: string | null;
  created_at: Date;
}

export async function insertHistory(tx: Tx, companyId: number, entries: HistoryEntry[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into subscription_history (company_id, subscription_id, type, actor, message, created_at)
    select ${companyId}, t.*, ${now}
    from unnest(${entries.map((e) => e.subscriptionId)}::bigint[], ${entries.map((e) => e.type)}::text[],
      ${entries.map((e) => e.actor)}::text[], ${entries.map((e) => e.message)}::text[]) as t`);
}

export async function listHistory(
  db: Queryable,
  companyId: number,
  subscriptionId: number,
  page: PageBounds,
): Promise<HistoryRow[]> {
  return db.query(sql`
    select id, type, actor, ${ACTOR_NAME}, message, created_at from subscription_history
    where company_id = ${companyId} and subscription_id = ${subscriptionId}
    order by id offset ${page.skip} limit ${page.take}`);
}

export async function countHistory(db: Queryable, companyId: number, subscriptionId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from subscription_history
    where company_id = ${companyId} and subscription_id = ${subscriptionId}`);
  return rows[0]!.n;
}

const REPLACED = rawSql(`on conflict (company_id, subscription_id, cycle_date) do update set outcome = excluded.outcome,
  order_id = excluded.order_id, reason = excluded.reason`);

export interface Cycle {
  subscriptionId: number;
  date: string;
  outcome: 'ordered' | 'skipped';
  orderId: number | null;
  reason: string | null;
}

/** `replaces`: a date that was skipped may have been ordered after all. */
export async function insertCycles(
  tx: Tx,
  companyId: number,
  cycles: Cycle[],
  now: Date,
  { replaces = false }: { replaces?: boolean } = {},
): Promise<void> {
  await tx.query(sql`
    insert into subscription_cycles (company_id, subscription_id, cycle_date, outcome, order_id, reason, created_at)
    select ${companyId}, t.*, ${now}
    from unnest(${cycles.map((c) => c.subscriptionId)}::bigint[], ${cycles.map((c) => c.date)}::date[],
      ${cycles.map((c) => c.outcome)}::text[], ${cycles.map((c) => c.orderId)}::bigint[],
      ${cycles.map((c) => c.reason)}::text[]) as t
    ${replaces ? REPLACED : emptySql}`);
}

/** Returns the dates of each subscription, from its given date on, that were ordered or skipped. */
export async function findDatesOver(
  db: Queryable,
  companyId: number,
  from: ReadonlyMap<number, string>,
): Promise<Map<number, Set<string>>> {
  const rows = await db.query<{ id: number; date: string }>(sql`
    select asked.id, c.cycle_date::text as date
    from unnest(${[...from.keys()]}::bigint[], ${[...from.values()]}::date[]) as asked (id, from_date)
    join subscription_cycles c on c.company_id = ${companyId} and c.subscription_id = asked.id
      and c.cycle_date >= asked.from_date`);
  const over = new Map<number, Set<string>>(Array.from(from.keys(), (id) => [id, new Set()]));
  for (const { id, date } of rows) over.get(id)!.add(date);
  return over;
}

/**
 * The payments of subscriptions' dates may have ended, so that the renewal worker looks at those that were charged. Returns the subscriptions
 * that were paused or cancelled meanwhile.
 */
export async function noteEndedPayments(
  tx: Tx,
  companyId: number,
  dates: readonly { subscription_id: number; cycle_date: string }[],
  now: Date,
): Promise<number[]> {
  const ids = dates.map(({ subscription_id }) => subscription_id);
  // Paused after its last attempt at a payment, it is paid by its link.
  const rows = await tx.query<{ id: number; stopped: boolean }>(sql`
    with held as materialized (
      select id, status in ('cancelled', 'expired') or (status = 'paused' and pause_reason is distinct from ${PAYMENT_FAILED})
        as stopped from subscriptions
      where company_id = ${companyId} and id = any(${ids}::bigint[]) order by id for update
    ), due as (
      update subscriptions s set due_at = ${now}
      from held, unnest(${ids}::bigint[], ${dates.map((one) => one.cycle_date)}::date[]) as ended (id, cycle_date)
      where s.company_id = ${companyId} and s.id = held.id and ended.id = held.id and s.status in ('active', 'past_due')
        and s.charge_id is not null and s.next_billing_date = ended.cycle_date
    )
    select id, stopped from held`);
  return rows.filter((row) => row.stopped).map((row) => row.id);
}

/** Locks the subscriptions that no other transaction locks; returns the others. */
export async function lockAvailableSubscriptions(
  db: Queryable,
  companyId: number,
  ids: readonly number[],
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    with free as materialized (
      select id from subscriptions
      where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) order by id for update skip locked
    )
    select id from subscriptions
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) and id not in (select id from free)`);
  return rows.map((row) => row.id);
}

/** Locks a customer's subscriptions. None is created in the meantime, since that waits for the customer's row. */
export async function lockSubscriptionsOf(tx: Tx, companyId: number, customerId: number): Promise<void> {
  await tx.query(sql`
    select from subscriptions where company_id = ${companyId} and customer_id = ${customerId} order by id for update`);
}

/** Reassigns a customer's subscriptions to another customer. */
export async function moveSubscriptions(tx: Tx, companyId: number, from: number, into: number): Promise<void> {
  await tx.query(sql`
    update subscriptions set customer_id = ${into} where company_id = ${companyId} and customer_id = ${from}`);
}
