import type { Logger } from 'pino';
import type { Clock } from '../../../clock.ts';
import { isDataFault } from '../../../db/batching/batch-failure.ts';
import { type Db, sqlState, type Tx } from '../../../db/pool.ts';
import { RunsRefused } from './effects.ts';
import * as queries from './run-queries.ts';
import { failRuns, type SteppingDeps, stepRuns } from './stepping.ts';

export interface RunSetDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  stepping: SteppingDeps;
}

/** Locks the runs of a set. */
type Claim = (tx: Tx, now: Date) => Promise<queries.RunRow[]>;

/**
 * Steps runs in sets, one transaction for each set. Where a run makes its set fail, the transaction is rolled back, the
 * failing runs are found, by bisection where necessary, and advance one step per transaction. So each run fails alone, at
 * the step that fails, and keeps its earlier steps and signals.
 */
export function createRunSets({ db, clock, log, stepping }: RunSetDeps) {
  /** Returns the number of claimed runs. */
  async function step(companyId: number, claim: Claim, steps?: 1): Promise<number> {
    let ids: number[] = [];
    try {
      await db.tenantTx(companyId, async (tx) => {
        const now = clock.now();
        const rows = await claim(tx, now);
        ids = rows.map((row) => row.id);
        if (rows.length > 0) await stepRuns(tx, companyId, rows, stepping, now, steps);
      });
    } catch (error) {
      if (!isRunsFault(error) || ids.length === 0) throw error;
      await isolate(companyId, ids, error, steps);
    }
    return ids.length;
  }

  async function isolate(companyId: number, ids: number[], error: unknown, steps?: 1): Promise<void> {
    const reasons = error instanceof RunsRefused ? error.reasons : new Map([[ids[0]!, error]]);
    if (error instanceof RunsRefused || ids.length === 1) {
      if (steps === 1) await fail(companyId, reasons);
      else await stepByStep(companyId, [...reasons.keys()]);
      return;
    }
    const middle = ids.length >> 1;
    for (const half of [ids.slice(0, middle), ids.slice(middle)]) {
      await step(companyId, (tx) => queries.claimRuns(tx, companyId, half), steps);
    }
  }

  async function stepByStep(companyId: number, ids: number[]): Promise<void> {
    const live = (tx: Tx): Promise<queries.RunRow[]> => queries.claimRuns(tx, companyId, ids);
    const due: Claim = async (tx, now) =>
      (await live(tx)).filter((row) => row.status === 'active' && row.due_at <= now);
    // The first pass also takes runs that only have signals; the others take due runs.
    let stepped = await step(companyId, live, 1);
    while (stepped > 0) stepped = await step(companyId, due, 1);
  }

  async function fail(companyId: number, reasons: ReadonlyMap<number, unknown>): Promise<void> {
    const ids = [...reasons.keys()];
    log.error({ err: reasons.get(ids[0]!), company_id: companyId, run_ids: ids }, 'flow runs failed');
    const failed = (some: number[], dropSignals: boolean): Promise<void> =>
      db.tenantTx(companyId, async (tx) => {
        const now = clock.now();
        const rows = await queries.claimRuns(tx, companyId, some);
        if (rows.length > 0) await failRuns(tx, companyId, rows, reasons, stepping, { now, dropSignals });
      });
    try {
      await failed(ids, false);
    } catch (error) {
      if (!isRunsFault(error)) throw error;
      // A signal of one of them cannot be stored. Dropping it is better than blocking all runs.
      log.error({ err: error, company_id: companyId, run_ids: ids }, 'flow runs fail, and their signals are dropped');
      for (const id of ids) await failed([id], true);
    }
  }

  return (companyId: number, claim: Claim): Promise<number> => step(companyId, claim);
}

/**
 * Whether the content of runs caused the error: refused effects, invalid data, a statement timeout. Lost connections and
 * deadlocks do not count.
 */
function isRunsFault(error: unknown): boolean {
  const state = sqlState(error);
  return error instanceof RunsRefused || state.startsWith('21') || (isDataFault(error) && !state.startsWith('40'));
}
