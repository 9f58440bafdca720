import type { Logger } from 'pino';
import type { MasterKey } from '../../access/master-key.ts';
import { type Clock, monotonicMs } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { counter, histogram } from '../../lib/measures.ts';
import { storable } from '../../lib/storable.ts';
import { requestIdOf } from '../../lib/tracing/correlation.ts';
import { RequestRefused } from '../../net/host-guard.ts';
import type { SafeFetch } from '../../net/safe-fetch.ts';
import { type CalledFor, tracedFetch } from '../../net/traced-fetch.ts';
import { makeCalls } from '../../work/fair-calls.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import * as queries from './claim-queries.ts';
import { disableEndpoint, noteHealth } from './queries.ts';
import { signDelivery } from './sign.ts';

const attempts = counter('tradeloom_webhook_deliveries_total', 'Attempts to deliver a webhook, by what became of it', {
  outcome: ['delivered', 'pending', 'failed'],
});
const durations = histogram(
  'tradeloom_webhook_delivery_duration_seconds',
  'How long the endpoints of outgoing webhooks took',
  {},
  [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
);

export interface DeliveryDeps {
  db: Db;
  clock: Clock;
  /** Receivers compare the time of a signature with theirs. */
  machineClock: Clock;
  log: Logger;
  masterKey: MasterKey;
  safeFetch: SafeFetch;
}

const IDLE_MS = 250;
/** Longer than the timeout of a request. After it, another worker claims the deliveries of a dead one. */
const LEASE_MS = 30_000;
const PER_COMPANY = 8;
const IN_ALL = 64;
const FIRST_RETRY_MS = 5_000;
export const LONGEST_RETRY_MS = 4 * 3_600_000;
/** An endpoint is disabled after failing for this long. */
const DISABLED_AFTER_MS = 3 * 24 * 3_600_000;
const KEPT_BODY = 2_000;

interface Attempt {
  ok: boolean;
  status: number | null;
  body: string | null;
  error: string | null;
}

/**
 * Delivers events of the shop to the company's endpoints, outside of any transaction: at least once, in order per entity,
 * with exponential backoff for a day; then the delivery is failed and can be replayed.
 */
export function createDeliveryWorker({ db, clock, machineClock, log, masterKey, safeFetch }: DeliveryDeps): Worker {
  async function claim(companyId: number, limit: number): Promise<queries.ClaimedDelivery[]> {
    const now = clock.now();
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    return db.tenantTx(companyId, (tx) => queries.claimDeliveries(tx, companyId, { now, leaseUntil, limit }));
  }

  async function attempt(companyId: number, delivery: queries.ClaimedDelivery): Promise<Attempt> {
    const { message_id: id, body, url } = delivery;
    const timestamp = Math.floor(machineClock.now().getTime() / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Tradeloom',
      'x-company-id': String(companyId),
      ...signDelivery(masterKey.open(delivery.secret), { id, timestamp, body }),
    };
    try {
      const response = await tracedFetch(
        safeFetch,
        { url, method: 'POST', headers, body },
        calledFor(companyId, delivery),
      );
      const ok = response.status >= 200 && response.status < 300;
      const error = ok ? null : `The response was ${response.status}`;
      return { ok, status: response.status, body: response.body, error };
    } catch (error) {
      const reason = error instanceof RequestRefused ? `refused: ${error.message}` : String((error as Error).message);
      return { ok: false, status: null, body: null, error: reason };
    }
  }

  async function settle(companyId: number, delivery: queries.ClaimedDelivery, outcome: Attempt): Promise<void> {
    const now = clock.now();
    const retryAt = new Date(now.getTime() + retryDelay(delivery.attempts));
    const status = outcome.ok ? 'delivered' : retryAt >= delivery.give_up_at ? 'failed' : 'pending';
    await db.tenantTx(companyId, async (tx) => {
      const settled = await queries.settleDelivery(tx, companyId, delivery, {
        status,
        dueAt: status === 'pending' ? retryAt : now,
        responseStatus: outcome.status,
        responseBody: outcome.body === null ? null : storable(outcome.body.slice(0, KEPT_BODY)),
        error: outcome.error?.slice(0, 500) ?? null,
        finishedAt: status === 'pending' ? null : now,
      });
      if (!settled) return;
      attempts.inc({ outcome: status });
      const failingSince = await noteHealth(tx, companyId, delivery.endpoint_id, outcome.ok, now);
      if (failingSince === null || now.getTime() - failingSince.getTime() < DISABLED_AFTER_MS) return;
      const reason = `no delivery was accepted since ${failingSince.toISOString()}`;
      await disableEndpoint(tx, companyId, delivery.endpoint_id, reason, now);
      const request_id = requestIdOf(delivery.correlation);
      log.warn(
        { company_id: companyId, endpoint_id: delivery.endpoint_id, request_id },
        'a webhook endpoint was switched off',
      );
    });
  }

  async function deliver(companyId: number, delivery: queries.ClaimedDelivery): Promise<void> {
    try {
      const began = monotonicMs();
      const outcome = await attempt(companyId, delivery);
      durations.observe((monotonicMs() - began) / 1_000);
      await settle(companyId, delivery, outcome);
    } catch (error) {
      log.error(
        {
          err: error,
          company_id: companyId,
          delivery_id: delivery.id,
          request_id: requestIdOf(delivery.correlation),
        },
        'a delivery could not be settled; it is retried when its lease expires',
      );
    }
  }

  return createWorker({
    name: 'webhook-deliveries',
    idleMs: IDLE_MS,
    log,
    nextDue: (after) => queries.nextDue(db, after),
    run: (signal) =>
      makeCalls(
        {
          companies: () => queries.companiesWithDeliveries(db, clock.now()),
          claim,
          call: deliver,
          share: PER_COMPANY,
          capacity: IN_ALL,
        },
        signal,
      ),
  });
}

/** Milliseconds until the next attempt after `attempts` attempts: 5 s, 10 s, 20 s … up to 4 hours. */
export function retryDelay(attempts: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1));
}

function calledFor(companyId: number, delivery: queries.ClaimedDelivery): CalledFor {
  const { id, endpoint_id, correlation, attempts } = delivery;
  const attributes = { 'tradeloom.delivery.id': id, 'tradeloom.endpoint.id': endpoint_id };
  return { companyId, correlation, attempt: attempts, attributes };
}
