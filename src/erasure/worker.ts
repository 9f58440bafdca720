import type { Logger } from 'pino';
import { eachCompany } from '../work/sets.ts';
import { createWorker, type Worker } from '../work/worker.ts';
import { companiesWithErasures, openErasures } from './journal-queries.ts';
import { type ErasureDeps, noteOpen, workOn } from './process.ts';

const IDLE_MS = 1_000;
/** Erasures of one company per turn. */
const AT_ONCE = 20;

/** Finishes erasures whose request has ended or whose process died. Companies take turns, slice by slice. */
export function createErasureWorker(deps: ErasureDeps & { log: Logger }): Worker {
  const { db, log } = deps;

  async function serve(companyId: number): Promise<number> {
    let done = 0;
    for (const id of await openErasures(db, companyId, AT_ONCE)) {
      try {
        await noteOpen(deps, companyId, id);
        done += await workOn(deps, companyId, id);
      } catch (error) {
        // For example because of another master key: the other erasures continue.
        log.error({ err: error, company_id: companyId, erasure_id: id }, 'an erasure failed and will be retried');
      }
    }
    return done;
  }

  return createWorker({
    name: 'erasures',
    idleMs: IDLE_MS,
    log,
    run: async (signal) => eachCompany(await companiesWithErasures(db), signal, serve),
  });
}
