import type { Logger } from 'pino';
import { type CompanyVersions, createCompanyCache, versionIn } from '../../access/company-versions.ts';
import type { Clock } from '../../clock.ts';
import type { Settled } from '../../db/batch.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { eachCompany, inSets } from '../../work/sets.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import { changeContacts, loadContacts } from '../contacts/service.ts';
import type { EventInput } from '../events/types.ts';
import { changeMemberships, findListSettings } from '../lists/service.ts';
import { takeEmissions } from './effect-queries.ts';
import { type Enrolment, enter } from './enrolment.ts';
import { findTimeZone } from './queries.ts';
import * as queries from './run-queries.ts';
import { createRunSets } from './run-sets.ts';
import { foldStats } from './stats.ts';
import type { FlowMessage, SteppingDeps } from './stepping.ts';
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
  const stepSet = createRunSets({ db, clock, log, stepping: steppingOf(deps) });

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
