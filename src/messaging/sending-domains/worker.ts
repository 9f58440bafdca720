import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import { makeCalls } from '../../work/fair-calls.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import * as queries from './queries.ts';
import { keyOf, settleCheck } from './service.ts';
import { type CheckDeps, examineAll } from './tracking-host/check.ts';

export interface DomainCheckDeps extends CheckDeps {
  clock: Clock;
  log: Logger;
  publicHost: string | null;
}

const IDLE_MS = 5_000;
/** Longer than a check takes; after this time the check of a dead worker is repeated. */
const AGAIN_MS = 2 * 60_000;
/** Limit, so that a company whose DNS is dead delays no other. */
const PER_COMPANY = 2;
const IN_ALL = 16;

/** Checks the DNS records of sending domains when they are due. */
export function createDomainCheckWorker(deps: DomainCheckDeps): Worker {
  const { db, clock, log, publicHost } = deps;

  async function claim(companyId: number, limit: number): Promise<queries.DomainRow[]> {
    const now = clock.now();
    const again = new Date(now.getTime() + AGAIN_MS);
    return db.tenantTx(companyId, (tx) => queries.claimDue(tx, companyId, { now, again, limit }));
  }

  async function check(companyId: number, due: queries.DomainRow): Promise<void> {
    try {
      const asked = { companyId, row: due, key: keyOf(due, publicHost), now: clock.now() };
      const findings = await examineAll(deps, asked);
      await db.tenantTx(companyId, async (tx) => {
        const row = await queries.findDomain(tx, companyId, due.id, true);
        if (row === undefined) return;
        const { state, tracking_active: active } = await settleCheck(tx, companyId, row, due, findings, clock.now());
        const about = { company_id: companyId, domain: row.domain };
        if (state === 'failing' && row.state !== 'failing')
          log.warn(about, 'the DKIM record of a sending domain is gone');
        if (row.tracking_active && !active) {
          log.warn({ ...about, host: row.tracking_host }, 'a tracking host is not verified any more');
        }
      });
    } catch (error) {
      log.error({ err: error, company_id: companyId, domain: due.domain }, 'a sending domain could not be checked');
    }
  }

  return createWorker({
    name: 'sending-domains',
    idleMs: IDLE_MS,
    log,
    nextDue: (after) => queries.nextDue(db, after),
    run: (signal) =>
      makeCalls(
        {
          companies: () => queries.companiesWithDue(db, clock.now()),
          claim,
          call: check,
          share: PER_COMPANY,
          capacity: IN_ALL,
        },
        signal,
      ),
  });
}
