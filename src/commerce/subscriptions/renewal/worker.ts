import type { Logger } from 'pino';
import type { Clock } from '../../../clock.ts';
import type { Db, Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';
import { inRootSpan } from '../../../lib/tracing/spans.ts';
import { eachCompany, inSets } from '../../../work/sets.ts';
import { createWorker, type Worker } from '../../../work/worker.ts';
import { isLockTimeout, limitLockWait, lockAvailable } from '../../orders/service.ts';
import type { ShopCache } from '../../shop.ts';
import * as queries from '../queries.ts';
import { orderRequest, unchanged } from '../record.ts';
import { renew } from './renew.ts';
import { ACTOR, type PayUrl } from './writes.ts';

const SET = 200;
const IDLE_MS = 1_000;
const POSTPONE_MS = 3_600_000;

interface RenewalDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  shops: ShopCache;
  payUrl: PayUrl;
  /** Called after each commit: orders were placed, or charges wait. */
  onPlaced: () => void;
}

/**
 * Renews due subscriptions in sets. One transaction places the orders, by the code of POST /orders, and writes next dates, cycles,
 * histories and events. The row locks are the lease: a process that dies or hangs loses its connection and with it everything uncommitted.
 * See docs/design/subscriptions.md.
 */
export function createRenewalWorker(deps: RenewalDeps): Worker {
  const { db, clock, log } = deps;

  /** Leaves subscriptions whose rows another transaction locks for long to the next run, so that they delay no others. */
  async function renewSet(companyId: number, limit: number, attempt: Attempt): Promise<number> {
    const now = clock.now();
    const renewed = (due: (tx: Tx) => Promise<queries.SubscriptionRow[]>): Promise<number> =>
      db.tenantTx(companyId, async (tx) => {
        const rows = await due(tx);
        attempt.first = rows[0]?.id;
        if (rows.length > 0) await renew(tx, deps.shops, companyId, rows, now, deps.payUrl);
        return rows.length;
      });
    const done = await renewed((tx) => dueWithinLockWait(tx, companyId, now, limit)).catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
      return renewed((tx) => dueAndAvailable(tx, companyId, now, limit));
    });
    if (done > 0) deps.onPlaced();
    return done;
  }

  /** Postpones the subscription that failed, unless another worker has renewed it meanwhile. */
  async function postpone(companyId: number, { first }: Attempt, error: unknown): Promise<number> {
    // It failed before any subscription was taken: the cause is not a subscription.
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
    nextDue: (after) => nextDue(db, after),
    run: async (signal) =>
      eachCompany(await companiesWithDue(db, clock.now()), signal, (companyId) => {
        const attempt: Attempt = { first: undefined };
        const options = { attributes: { 'tradeloom.company.id': companyId } };
        return inSets({
          size: SET,
          work: (limit) => inRootSpan('renew subscriptions', options, () => renewSet(companyId, limit, attempt)),
          giveUp: (error) => postpone(companyId, attempt, error),
        });
      }),
  });
}

/** The first subscription that the last attempt took, for the case that the attempt fails. */
interface Attempt {
  first: number | undefined;
}

async function dueWithinLockWait(tx: Tx, companyId: number, now: Date, limit: number) {
  const [due] = await Promise.all([takeDue(tx, companyId, now, limit), limitLockWait(tx)]);
  return due;
}

/** Returns the due subscriptions whose order needs no row that another transaction locks. */
async function dueAndAvailable(tx: Tx, companyId: number, now: Date, limit: number) {
  const due = await takeDue(tx, companyId, now, limit);
  const requests = due.map((row) => orderRequest(row, ACTOR, now));
  const held = await lockAvailable(tx, companyId, requests);
  return due.filter((_row, i) => held[i]!.length === 0);
}

/** The first due time of each company, by one index look-up for each. */
const FIRST_DUE = rawSql(`first_due as (
  (select company_id, due_at from subscriptions where due_at is not null order by company_id, due_at limit 1)
  union all
  select next.* from first_due cross join lateral (
    select company_id, due_at from subscriptions where due_at is not null and company_id > first_due.company_id
    order by company_id, due_at limit 1) next
)`);

/**
 * Returns companies with due subscriptions, the longest due first. One index look-up finds the first due subscription of each company,
 * however many it has.
 */
async function companiesWithDue(db: Queryable, now: Date): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    with recursive ${FIRST_DUE}
    select company_id from first_due where due_at <= ${now} order by due_at, company_id`);
  return rows.map((row) => row.company_id);
}

/**
 * Locks a set of the company's due subscriptions, the longest due first, until the end of the transaction. Other workers skip
 * them. If the process dies, its connection closes and they are free again.
 */
export async function takeDue(tx: Tx, companyId: number, now: Date, limit: number): Promise<queries.SubscriptionRow[]> {
  return tx.query<queries.SubscriptionRow>(sql`
    select ${queries.COLUMNS} from subscriptions s ${queries.FREQUENCY}
    where s.company_id = ${companyId} and s.due_at <= ${now}
    order by s.due_at, s.id limit ${limit} for update of s skip locked`);
}

/** Returns the first time after `now` at which something is due. */
async function nextDue(db: Queryable, now: Date): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(sql`
    with recursive ${FIRST_DUE}
    select min(next.due_at) as due_at from first_due cross join lateral (
      select due_at from subscriptions s where s.company_id = first_due.company_id and s.due_at > ${now} order by s.due_at limit 1) next`);
  return rows[0]!.due_at;
}
