import type { Logger } from 'pino';
import type { Clock } from '../../../clock.ts';
import type { Db } from '../../../db/pool.ts';
import { eachCompany } from '../../../work/sets.ts';
import { createWorker, type Worker } from '../../../work/worker.ts';
import { ProviderUnavailable } from '../providers/provider.ts';
import { postponeFetch, takeFetches } from '../queries.ts';
import type { PaymentCalls } from './calls.ts';
import { LEASE_MS } from './operation.ts';
import * as queries from './queries.ts';

/** Calls of one company that wait for its service at the same time. */
const AT_ONCE = 16;
const COMPANIES_AT_ONCE = 4;
const IDLE_MS = 1_000;

interface PaymentWorkerDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  calls: PaymentCalls;
}

/** Runs operations that no request has run, looks up those with unknown outcomes, and fetches payments that are under way. */
export function createPaymentWorker({ db, clock, log, calls }: PaymentWorkerDeps): Worker {
  async function serve(companyId: number): Promise<number> {
    const now = clock.now();
    // A fetch that never ends is due again then.
    const until = new Date(now.getTime() + LEASE_MS);
    const { operations, fetches } = await db.tenantTx(companyId, async (tx) => ({
      operations: await queries.takeDue(tx, companyId, now, AT_ONCE),
      fetches: await takeFetches(tx, companyId, { now, until, limit: AT_ONCE }),
    }));
    const failures = (error: unknown, about: object): void => {
      log.error({ err: error, company_id: companyId, ...about }, 'a payment could not be settled and is tried again');
    };
    await Promise.all([
      ...operations.map((one) =>
        calls
          .run(companyId, one, { isShown: false })
          .catch((error: unknown) => failures(error, { operation_id: one.id })),
      ),
      ...fetches.map(({ id }) =>
        calls.refresh(companyId, id).catch((error: unknown) => {
          if (!(error instanceof ProviderUnavailable)) return failures(error, { payment_id: id });
          log.warn({ company_id: companyId, payment_id: id, cause: error.message }, 'a payment service is unavailable');
          return postponeFetch(db.writes(companyId), companyId, id, { now, until });
        }),
      ),
    ]);
    return operations.length + fetches.length;
  }

  return createWorker({
    name: 'payments',
    idleMs: IDLE_MS,
    log,
    nextDue: (after) => queries.nextDue(db, after),
    run: async (signal) =>
      eachCompany(await queries.companiesWithDue(db, clock.now()), signal, serve, COMPANIES_AT_ONCE),
  });
}
