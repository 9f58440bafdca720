import type { Logger } from 'pino';
import { type CompanyVersions, createCompanyCache, versionIn } from '../../access/company-versions.ts';
import type { Clock } from '../../clock.ts';
import type { Settled } from '../../db/batch.ts';
import { type Db, sqlState, type Tx } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import { eachCompany, inSets } from '../../work/sets.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import { changeContacts, loadContacts } from '../contacts/service.ts';
import type { EventInput } from '../events/types.ts';
import { changeMemberships, findListSettings } from '../lists/service.ts';
import { takeEmissions } from './effect-queries.ts';
import { type Enrolment, enter } from './enrolment.ts';
import { failRun } from './moves.ts';
import { findTimeZone } from './queries.ts';
import * as queries from './run-queries.ts';
import { foldStats } from './stats.ts';
import { commitMoves, type FlowMessage, RunsRefused, type SteppingDeps, stepRuns } from './stepping.ts';
import { workNextTask } from './tasks.ts';
import { createGraphs } from './versions.ts';

export interface FlowWorkerDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  versions: CompanyVersions;
  enrolment: Enrolment;
  storeEvents(tx: Tx, companyId: number, events: EventInput[], now: Date): Promise<Settled<unknown>[]>;
  queueMessages(tx: Tx, companyId: number, messages: FlowMessage[], now: Date): Promise<unknown>;
}

const IDLE_MS = 250;
/** Runs of one company in one transaction. */
const SET = 500;
/** Sets on their way at once: while one waits for the database, the other decides. */
const LANES = 2;
const EMISSIONS = 200;

/** Moves the runs that are due or were told something, company by company in turn, a set at a time. */
export function createFlowWorker(deps: FlowWorkerDeps): Worker {
  const { db, clock, log } = deps;
  const stepping = steppingOf(deps);

  async function stepSet(companyId: number, claim: (tx: Tx, now: Date) => Promise<queries.RunRow[]>): Promise<number> {
    let ids: number[] = [];
    try {
      return await db.tenantTx(companyId, async (tx) => {
        const now = clock.now();
        const rows = await claim(tx, now);
        ids = rows.map((row) => row.id);
        if (rows.length > 0) await stepRuns(tx, companyId, rows, stepping, now);
        return rows.length;
      });
    } catch (error) {
      if (!isOneRunsFault(error) || ids.length === 0) throw error;
      return isolate(companyId, ids, error);
    }
  }

  /** A run that makes its whole set fail is found by halves, so that it fails alone. */
  async function isolate(companyId: number, ids: number[], error: unknown): Promise<number> {
    if (error instanceof RunsRefused) await fail(companyId, error.reasons);
    else if (ids.length === 1) await fail(companyId, new Map([[ids[0]!, error]]));
    else {
      const middle = ids.length >> 1;
      for (const half of [ids.slice(0, middle), ids.slice(middle)]) {
        await stepSet(companyId, (tx) => queries.claimRuns(tx, companyId, half));
      }
    }
    return ids.length;
  }

  async function fail(companyId: number, reasons: ReadonlyMap<number, unknown>): Promise<void> {
    const ids = [...reasons.keys()];
    log.error({ err: reasons.get(ids[0]!), company_id: companyId, run_ids: ids }, 'flow runs failed');
    await db.tenantTx(companyId, async (tx) => {
      const now = clock.now();
      const rows = await queries.claimRuns(tx, companyId, ids);
      if (rows.length === 0) return;
      await queries.takeSignals(tx, companyId, ids);
      const pairs = rows.map((row) => ({ flowId: row.flow_id, version: row.version }));
      const graphs = await stepping.graphsOf(tx, companyId, pairs);
      const moved = rows.map((row) => {
        const error = reasons.get(row.id);
        const reason = error instanceof Error ? error.message : String(error);
        return failRun(row, graphs.get(`${row.flow_id}:${row.version}`)!, reason, { now, zone: 'UTC' });
      });
      await commitMoves(tx, companyId, moved, stepping, now);
    });
  }

  async function takeTurn({ company_id: companyId, emissions, tasks }: queries.CompanyWork): Promise<number> {
    const emitted = emissions
      ? await inSets({
          size: EMISSIONS,
          work: (limit) => emit(companyId, limit),
          giveUp: (error) => dropEmission(companyId, error),
        })
      : 0;
    const worked = tasks
      ? await db.tenantTx(companyId, (tx) => workNextTask(tx, companyId, deps.enrolment, clock.now()))
      : 0;
    const stepped = await stepSet(companyId, async (tx, now) => {
      const [signalled, due] = await Promise.all([
        queries.claimSignalledRuns(tx, companyId, SET),
        queries.claimDueRuns(tx, companyId, now, SET),
      ]);
      return [...new Map([...signalled, ...due].map((row) => [row.id, row])).values()];
    });
    return emitted + worked + stepped;
  }

  /** Stores events that steps made, in a transaction of their own: each exactly once. */
  async function emit(companyId: number, limit: number): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const emissions = await takeEmissions(tx, companyId, limit);
      if (emissions.length === 0) return 0;
      const events = emissions.map(
        ({ event_type: eventType, data, contact_id: contactId, run_id, step_id, visit }): EventInput => {
          return { eventType, data, contactId, eventId: `${run_id}:${step_id}:${visit}`, source: 'flow' };
        },
      );
      const outcomes = await deps.storeEvents(tx, companyId, events, clock.now());
      outcomes.forEach((outcome, i) => {
        if (!outcome.ok) log.error({ err: outcome.error, emission: emissions[i] }, 'an event of a flow was refused');
      });
      return emissions.length;
    });
  }

  /** The first event makes every set fail that it is in: it is given up, so that runs and events behind it go on. */
  async function dropEmission(companyId: number, error: unknown): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const emissions = await takeEmissions(tx, companyId, 1);
      log.error({ err: error, emissions }, 'an event of a flow could not be stored');
      return emissions.length;
    });
  }

  return createWorker({
    name: 'flows',
    idleMs: IDLE_MS,
    log,
    nextDue: () => queries.nextDueRun(db),
    async run(signal) {
      const companies = await queries.companiesWithWork(db, clock.now());
      // One company alone uses all lanes: each takes a set of its own.
      const turns = companies.length === 1 ? Array<queries.CompanyWork>(LANES).fill(companies[0]!) : companies;
      return eachCompany(turns, signal, takeTurn, LANES);
    },
  });
}

/** Folds the numbers of flows. */
export function createFlowStatsWorker({ db, log }: { db: Db; log: Logger }): Worker {
  return createWorker({ name: 'flow-stats', idleMs: 1_000, log, run: () => foldStats(db) });
}

function steppingOf({ db, versions, enrolment, queueMessages }: FlowWorkerDeps): SteppingDeps {
  const zones = createCompanyCache(db, versions, findTimeZone);
  return {
    loadContacts,
    changeContacts,
    changeMemberships: (tx, companyId, changes, now) =>
      changeMemberships(tx, companyId, changes, now, { at: now, source: 'flow', ip: null }),
    findLists: findListSettings,
    queueMessages,
    flowsIn: enrolment.flowsIn,
    enter,
    graphsOf: createGraphs(),
    zoneOf: async (tx, companyId) => zones.peek(companyId) ?? zones.at(tx, companyId, await versionIn(tx, companyId)),
  };
}

/** The database or another part refused what a run does or is: values, limits, constraints; never a lost connection. */
function isOneRunsFault(error: unknown): boolean {
  if (error instanceof RunsRefused || error instanceof AppError) return true;
  return error instanceof TypeError || error instanceof RangeError || /^(21|22|23|54|P0)/.test(sqlState(error));
}
