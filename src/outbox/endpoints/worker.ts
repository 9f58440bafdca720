import type { Logger } from 'pino';
import type { MasterKey } from '../../access/master-key.ts';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { storable } from '../../lib/storable.ts';
import { makeCalls } from '../../work/fair-calls.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import { RequestRefused, type SafeFetch } from '../safe-fetch.ts';
import * as queries from './queries.ts';
import { signDelivery } from './sign.ts';

export interface DeliveryDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  masterKey: MasterKey;
  safeFetch: SafeFetch;
}

const IDLE_MS = 250;
/** Longer than a request can take: what a worker holds that died is taken over after it. */
const LEASE_MS = 30_000;
const PER_COMPANY = 8;
const IN_ALL = 64;
const FIRST_RETRY_MS = 5_000;
export const LONGEST_RETRY_MS = 4 * 3_600_000;
/** An endpoint that has taken nothing for so long is switched off. */
const DISABLED_AFTER_MS = 3 * 24 * 3_600_000;
const KEPT_BODY = 2_000;

interface Attempt {
  ok: boolean;
  status: number | null;
  body: string | null;
  error: string | null;
}

/**
 * Delivers what the shop did to the company's endpoints, outside of any transaction: at least once, in order for each
 * thing, tried again with growing pauses for a day, then kept as failed.
 */
export function createDeliveryWorker({ db, clock, log, masterKey, safeFetch }: DeliveryDeps): Worker {
  async function claim(companyId: number, limit: number): Promise<queries.ClaimedDelivery[]> {
    const now = clock.now();
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    return db.tenantTx(companyId, (tx) => queries.claimDeliveries(tx, companyId, { now, leaseUntil, limit }));
  }

  async function attempt(companyId: number, delivery: queries.ClaimedDelivery): Promise<Attempt> {
    const { message_id: id, body, url } = delivery;
    const timestamp = Math.floor(clock.now().getTime() / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Tradeloom',
      'x-company-id': String(companyId),
      ...signDelivery(masterKey.open(delivery.secret), { id, timestamp, body }),
    };
    try {
      const response = await safeFetch.fetch({ url, method: 'POST', headers, body });
      const ok = response.status >= 200 && response.status < 300;
      const error = ok ? null : `The answer was ${response.status}`;
      return { ok, status: response.status, body: response.body, error };
    } catch (error) {
      const reason = error instanceof RequestRefused ? `refused: ${error.message}` : String((error as Error).message);
      return { ok: false, status: null, body: null, error: reason };
    }
  }

  async function settle(companyId: number, delivery: queries.ClaimedDelivery, made: Attempt): Promise<void> {
    const now = clock.now();
    const again = new Date(now.getTime() + retryDelay(delivery.attempts));
    const status = made.ok ? 'delivered' : again >= delivery.give_up_at ? 'failed' : 'pending';
    await db.tenantTx(companyId, async (tx) => {
      const mine = await queries.settleDelivery(tx, companyId, delivery, {
        status,
        dueAt: status === 'pending' ? again : now,
        responseStatus: made.status,
        responseBody: made.body === null ? null : storable(made.body.slice(0, KEPT_BODY)),
        error: made.error?.slice(0, 500) ?? null,
        finishedAt: status === 'pending' ? null : now,
      });
      if (!mine) return;
      const failingSince = await queries.noteHealth(tx, companyId, delivery.endpoint_id, made.ok, now);
      if (failingSince === null || now.getTime() - failingSince.getTime() < DISABLED_AFTER_MS) return;
      const reason = `nothing was taken since ${failingSince.toISOString()}`;
      await queries.disableEndpoint(tx, companyId, delivery.endpoint_id, reason, now);
      log.warn({ company_id: companyId, endpoint_id: delivery.endpoint_id }, 'a webhook endpoint was switched off');
    });
  }

  async function deliver(companyId: number, delivery: queries.ClaimedDelivery): Promise<void> {
    try {
      await settle(companyId, delivery, await attempt(companyId, delivery));
    } catch (error) {
      // Its lease runs out, and it is taken up again.
      log.error({ err: error, company_id: companyId, delivery_id: delivery.id }, 'a delivery was lost to its lease');
    }
  }

  return createWorker({
    name: 'webhook-deliveries',
    idleMs: IDLE_MS,
    log,
    nextDue: () => queries.nextDue(db, clock.now()),
    run: (signal) =>
      makeCalls(
        {
          companies: () => queries.companiesWithDeliveries(db, clock.now()),
          claim,
          call: deliver,
          perCompany: PER_COMPANY,
          inAll: IN_ALL,
        },
        signal,
      ),
  });
}

/** 5 s, 10 s, 20 s … up to 4 hours. `attempts` counts those made. */
export function retryDelay(attempts: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1));
}
