import type { Logger } from 'pino';
import type { Clock } from '../../../clock.ts';
import { isDataFault } from '../../../db/batching/batcher.ts';
import { type Db, sqlState, type Tx } from '../../../db/pool.ts';
import { requestIdOf } from '../../../lib/tracing/correlation.ts';
import { tracingItems } from '../../../lib/tracing/item-spans.ts';
import type { SpanOptions } from '../../../lib/tracing/spans.ts';
import { RunsRefused } from './effects.ts';
import * as queries from './run-queries.ts';
import { failRuns, type SteppingDeps, stepRuns } from './stepping.ts';

export interface RunSetDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  stepping: SteppingDeps;
}

/** A run of a set, with its correlation for the log. */
type Held = Pick<queries.RunRow, 'id' | 'correlation'>;

/** Locks the runs of a set. */
type Claim = (tx: Tx, now: Date) => Promise<queries.RunRow[]>;

/**
 * Steps runs in sets, one transaction per set. If a run makes its set fail, the transaction is rolled back, the
 * failing runs are found, by bisection if necessary, and advance one step per transaction. So each run fails alone, at
 * the step that fails, and keeps its earlier steps and signals.
 */
export function createRunSets({ db, clock, log, stepping }: RunSetDeps) {
  /** Returns the number of claimed runs. */
  async function step(companyId: number, claim: Claim, steps?: 1): Promise<number> {
    let held: Held[] = [];
    try {
      await tracingItems('step flow run', spanOf(companyId), (begin) =>
        db.tenantTx(companyId, async (tx) => {
          const now = clock.now();
          const rows = begin(await claim(tx, now));
          held = rows.map(({ id, correlation }) => ({ id, correlation }));
          if (rows.length > 0) await stepRuns(tx, companyId, rows, stepping, now, steps);
        }),
      );
    } catch (error) {
      if (!isRunsFault(error) || held.length === 0) throw error;
      await isolate(companyId, held, error, steps);
    }
    return held.length;
  }

  async function isolate(companyId: number, held: Held[], error: unknown, steps?: 1): Promise<void> {
    const reasons = error instanceof RunsRefused ? error.reasons : new Map([[held[0]!.id, error]]);
    if (error instanceof RunsRefused || held.length === 1) {
      if (steps === 1) await fail(companyId, reasons, held);
      else await stepByStep(companyId, [...reasons.keys()]);
      return;
    }
    const middle = held.length >> 1;
    for (const half of [held.slice(0, middle), held.slice(middle)]) {
      const ids = half.map(({ id }) => id);
      await step(companyId, (tx) => queries.claimRuns(tx, companyId, ids), steps);
    }
  }

  async function stepByStep(companyId: number, ids: number[]): Promise<void> {
    const live = (tx: Tx): Promise<queries.RunRow[]> => queries.claimRuns(tx, companyId, ids);
    const due: Claim = async (tx, now) =>
      (await live(tx)).filter((row) => row.status === 'active' && row.due_at <= now);
    // The first pass also includes runs that only have signals; the others process due runs.
    let stepped = await step(companyId, live, 1);
    while (stepped > 0) stepped = await step(companyId, due, 1);
  }

  async function fail(companyId: number, reasons: ReadonlyMap<number, unknown>, held: Held[]): Promise<void> {
    const ids = [...reasons.keys()];
    const requestIds = held.filter(({ id }) => reasons.has(id)).map(({ correlation }) => requestIdOf(correlation));
    const runs = { company_id: companyId, run_ids: ids, request_ids: requestIds };
    log.error({ err: reasons.get(ids[0]!), ...runs }, 'flow runs failed');
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
      log.error({ err: error, ...runs }, 'flow runs fail, and their signals are dropped');
      for (const id of ids) await failed([id], true);
    }
  }

  return (companyId: number, claim: Claim): Promise<number> => step(companyId, claim);
}

/**
 * Whether the content of runs caused the error: rejected effects, invalid data, a statement timeout. Lost connections and
 * deadlocks do not count.
 */
function isRunsFault(error: unknown): boolean {
  const state = sqlState(error);
  return error instanceof RunsRefused || state.startsWith('21') || (isDataFault(error) && !state.startsWith('40'));
}

function spanOf(companyId: number): (row: queries.RunRow) => SpanOptions {
  return ({ id, flow_id, version, step_id }) => ({
    kind: 'consumer',
    attributes: {
      'tradeloom.company.id': companyId,
      'tradeloom.flow.id': flow_id,
      'tradeloom.flow.version': version,
      'tradeloom.run.id': id,
      // The step of the run; null before the first step.
      ...(step_id === null ? {} : { 'tradeloom.step.id': step_id }),
    },
  });
}
