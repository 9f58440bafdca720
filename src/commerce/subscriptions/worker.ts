import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { AppError, type ErrorCode, type FieldError } from '../../errors.ts';
import { enqueue, type OutboxEvent } from '../../outbox/service.ts';
import { eachCompany, inSets } from '../../work/sets.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import { limitLockWait, lockAvailable, orSkipLocked, placeOrders } from '../orders/service.ts';
import type { ShopCache } from '../shop.ts';
import { planRenewal, type RenewalPlan } from './plan.ts';
import * as queries from './queries.ts';
import { orderRequest, scheduledEvent, scheduleOf, subscriptionEvent, unchanged } from './record.ts';
import { todayIn } from './schedule.ts';
import { resumed } from './service.ts';

const ACTOR = 'worker:renewals';
const SET = 200;
const IDLE_MS = 1_000;
const POSTPONE_MS = 3_600_000;

export interface RenewalDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  shops: ShopCache;
  onPlaced: () => void;
}

/**
 * Renews what is due, set by set: the orders by the code of POST /orders, the next dates, the record of the dates that are
 * over, histories and events, in one transaction. The rows' locks are the lease: a process that dies or freezes loses its
 * connection, and with it everything that it had not committed.
 */
export function createRenewalWorker(deps: RenewalDeps): Worker {
  const { db, clock, log } = deps;

  /** What another transaction holds for long is left for the next turn, and holds up neither the others nor other companies. */
  async function renewSet(companyId: number, limit: number, attempt: Attempt): Promise<number> {
    const now = clock.now();
    const take = (tx: Tx) => queries.takeDue(tx, companyId, now, limit);
    const renewDue = (taken: (tx: Tx) => Promise<queries.SubscriptionRow[]>) => () =>
      db.tenantTx(companyId, async (tx) => {
        const due = await taken(tx);
        attempt.first = due[0]?.id;
        if (due.length > 0) await renew(tx, deps.shops, companyId, due, now);
        return due.length;
      });
    const done = await orSkipLocked(
      renewDue(async (tx) => (await Promise.all([take(tx), limitLockWait(tx)]))[0]),
      renewDue(async (tx) => {
        const due = await take(tx);
        const requests = due.map((row) => orderRequest(row, ACTOR, now));
        const held = await lockAvailable(tx, companyId, requests);
        return due.filter((_row, i) => held[i]!.length === 0);
      }),
    );
    if (done > 0) deps.onPlaced();
    return done;
  }

  /** The one that failed, unless another worker has done it meanwhile. */
  async function putOff(companyId: number, { first }: Attempt, error: unknown): Promise<number> {
    // It failed before anything was taken: not for what a subscription is.
    if (first === undefined) throw error;
    log.error({ err: error, company_id: companyId, subscription_id: first }, 'a renewal failed and was put off');
    const now = clock.now();
    return db.tenantTx(companyId, async (tx) => {
      const row = await queries.lockSubscription(tx, companyId, first);
      if (row === undefined || row.due_at === null || row.due_at > now) return 0;
      const later = { ...unchanged(row), dueAt: new Date(now.getTime() + POSTPONE_MS) };
      await queries.updateSubscriptions(tx, companyId, [later], now);
      const message = 'an internal error; tried again in an hour';
      const entry = { subscriptionId: row.id, type: 'renewal_error', actor: ACTOR, message };
      await queries.insertHistory(tx, companyId, [entry], now);
      return 1;
    });
  }

  return createWorker({
    name: 'renewals',
    idleMs: IDLE_MS,
    log,
    nextDue: () => queries.nextDue(db, clock.now()),
    run: async (signal) =>
      eachCompany(await queries.companiesWithDue(db, clock.now()), signal, (companyId) => {
        const attempt: Attempt = { first: undefined };
        return inSets({
          size: SET,
          work: (limit) => renewSet(companyId, limit, attempt),
          giveUp: (error) => putOff(companyId, attempt, error),
        });
      }),
  });
}

/** The first subscription that the last try took, to be known when the try fails. */
interface Attempt {
  first: number | undefined;
}

interface Writes {
  changes: queries.Change[];
  cycles: queries.Cycle[];
  history: queries.HistoryEntry[];
  events: OutboxEvent[];
}

async function renew(
  tx: Tx,
  shops: ShopCache,
  companyId: number,
  due: queries.SubscriptionRow[],
  now: Date,
): Promise<void> {
  const renewing = due.filter((row) => row.status !== 'paused');
  const requests = renewing.map((row) => orderRequest(row, ACTOR, now));
  const dates = new Map(due.map((row) => [row.id, row.next_billing_date!]));
  const [{ outcomes, shop, pending }, contacts, over] = await Promise.all([
    placeOrders(tx, shops, companyId, requests),
    queries.findContacts(tx, companyId, [...new Set(due.map((row) => row.customer_id))]),
    queries.findDatesOver(tx, companyId, dates),
  ]);
  const today = todayIn(shop.timeZone, now);
  const people = new Map(contacts.map((contact) => [contact.id, contact]));
  const writes: Writes = { changes: [], cycles: [], history: [], events: [] };
  for (const row of due) {
    if (row.status !== 'paused') continue;
    const change = resumed(row, shop, now, over.get(row.id)!);
    writes.changes.push(change);
    writes.history.push({ subscriptionId: row.id, type: 'resumed', actor: ACTOR, message: 'the pause is over' });
    writes.events.push(scheduledEvent(row, change.nextDate, people.get(row.customer_id)!, now));
  }
  renewing.forEach((row, i) => {
    const outcome = outcomes[i]!;
    const failure = outcome.ok ? null : failureOf(outcome.error);
    const cycleDate = row.next_billing_date!;
    const attempt = { schedule: scheduleOf(row), cycleDate, over: over.get(row.id)!, attempts: row.attempts };
    const plan = planRenewal(attempt, failure, today, shop.timeZone);
    record(writes, row, plan, outcome.ok ? outcome.value.id : null);
    const person = people.get(row.customer_id)!;
    const topic = {
      ordered: 'subscription_renewed',
      retry: 'subscription_past_due',
      skipped: 'subscription_skipped',
      paused: 'subscription_paused',
    }[plan.kind];
    const more = { cycle_date: cycleDate, reason: failure?.reason ?? null };
    writes.events.push(subscriptionEvent(topic, row, person, now, more));
    if ('nextDate' in plan) writes.events.push(scheduledEvent(row, plan.nextDate, person, now));
  });
  pending.push(
    queries.updateSubscriptions(tx, companyId, writes.changes, now),
    queries.insertHistory(tx, companyId, writes.history, now),
    enqueue(tx, companyId, writes.events),
  );
  if (writes.cycles.length > 0) pending.push(queries.insertCycles(tx, companyId, writes.cycles, now));
  await tx.commitAfter(pending);
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
      writes.changes.push({ ...same, status: 'active', nextDate: plan.nextDate, dueAt: plan.dueAt, attempts: 0 });
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

/** Why no order could be made, as a machine word. Errors that are not about the order are thrown on. */
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
