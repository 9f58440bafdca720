import type { Logger } from 'pino';
import type { Clock } from '../../../clock.ts';
import { isDataFault } from '../../../db/batching/batch.ts';
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

/** Claims the runs of a set. */
type Claim = (tx: Tx, now: Date) => Promise<queries.RunRow[]>;

/**
 * Steps runs in sets, a transaction each. A set that fails for what is in it is undone as a whole: the runs that are at
 * fault are found, by halves where need be, and go on one step in a transaction, so that each fails at the step that is
 * at fault, alone, and what it did and heard before stands.
 */
export function createRunSets({ db, clock, log, stepping }: RunSetDeps) {
  /** Gives how many runs it claimed. */
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
    // Those that have only heard something are not due, once they have.
    let stepped = await step(companyId, live, 1);
    while (stepped > 0) stepped = await step(companyId, due, 1);
  }

  async function fail(companyId: number, reasons: ReadonlyMap<number, unknown>): Promise<void> {
    const ids = [...reasons.keys()];
    log.error({ err: reasons.get(ids[0]!), company_id: companyId, run_ids: ids }, 'flow runs failed');
    const failed = (some: number[], deaf: boolean): Promise<void> =>
      db.tenantTx(companyId, async (tx) => {
        const now = clock.now();
        const rows = await queries.claimRuns(tx, companyId, some);
        if (rows.length > 0) await failRuns(tx, companyId, rows, reasons, stepping, { now, deaf });
      });
    try {
      await failed(ids, false);
    } catch (error) {
      if (!isRunsFault(error)) throw error;
      // What one of them was told cannot be kept: better to forget it than to stand in everybody's way.
      log.error({ err: error, company_id: companyId, run_ids: ids }, 'flow runs fail without what they were told');
      for (const id of ids) await failed([id], true);
    }
  }

  return (companyId: number, claim: Claim): Promise<number> => step(companyId, claim);
}

/**
 * The database or another part refused what a run does or is, or it took too long. Never a lost connection, nor a deadlock:
 * that is the others' doing as well.
 */
function isRunsFault(error: unknown): boolean {
  const state = sqlState(error);
  return error instanceof RunsRefused || state.startsWith('21') || (isDataFault(error) && !state.startsWith('40'));
}
